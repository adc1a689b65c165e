"""An OpenML that answers from memory, one layer below scikit-learn's `fetch_openml`."""

import hashlib
import json
from io import BytesIO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

URLOPEN = "sklearn.datasets._openml.urlopen"


class Response(BytesIO):
    def info(self):
        return {}


class FakeOpenML:
    """Serves one data set; keeps the addresses that were asked for."""

    def __init__(self, data_id, columns, target="class"):
        self.asked = []
        names = [target if name == "class" else name for name in columns]
        values = [sorted(set(cells) - {"?"}) for cells in columns.values()]
        arff = arff_text(names, values, columns.values()).encode()
        # Paths only: from version to version, scikit-learn asks other hosts.
        file = f"/data/v1/download/{data_id}"
        api = "/api/v1/json/data"
        features = [
            {
                "index": str(index),
                "name": name,
                "data_type": "nominal",
                "nominal_value": allowed,
                "is_target": str(name == target).lower(),
                "is_ignore": "false",
                "is_row_identifier": "false",
                "number_of_missing_values": "0",
            }
            for index, (name, allowed) in enumerate(zip(names, values, strict=True))
        ]
        description = {
            "id": str(data_id),
            "name": "data",
            "description": "A table.",
            "version": "1",
            "format": "ARFF",
            "status": "active",
            "file_id": str(data_id),
            "url": f"https://www.openml.org{file}",
            "md5_checksum": hashlib.md5(arff).hexdigest(),
        }
        n_rows = len(columns["class"])
        qualities = [{"name": "NumberOfInstances", "value": str(n_rows)}]
        self.pages = {
            f"{api}/{data_id}": as_json({"data_set_description": description}),
            f"{api}/features/{data_id}": as_json({"data_features": {"feature": features}}),
            f"{api}/qualities/{data_id}": as_json({"data_qualities": {"quality": qualities}}),
            file: arff,
        }

    def __call__(self, request, **options):
        self.asked.append(request.full_url)
        path = urlsplit(request.full_url).path
        if path not in self.pages:
            raise HTTPError(request.full_url, 412, "Precondition Failed", None, Response())
        return Response(self.pages[path])


def offline(request, **options):
    raise URLError("Temporary failure in name resolution")


def arff_text(names, values, columns):
    lines = ["@relation data"]
    for name, allowed in zip(names, values, strict=True):
        lines.append(f"@attribute '{name}' {{{','.join(map(quoted, allowed))}}}")
    lines += ["@data", *(",".join(map(quoted, row)) for row in zip(*columns, strict=True))]
    return "\n".join(lines) + "\n"


def quoted(cell):
    return f"'{cell}'" if " " in cell else cell


def as_json(content):
    return json.dumps(content).encode()
