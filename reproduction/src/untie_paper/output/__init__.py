"""What experiments give: tables and figures, written as files and as one page."""
