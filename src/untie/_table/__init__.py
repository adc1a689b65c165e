"""Any frame or array -> named columns -> integer codes."""
