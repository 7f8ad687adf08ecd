"""XML, for the error bodies of clients that send XML."""

from xml.etree import ElementTree


def dumps(name: str, value: object) -> bytes:
    """Return the value as one XML element, maps and lists as children."""
    root = ElementTree.Element(name)
    _fill(root, value)
    text: bytes = ElementTree.tostring(root, encoding="utf-8")
    return text


def _fill(element: ElementTree.Element, value: object) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _fill(ElementTree.SubElement(element, str(key)), inner)
    elif isinstance(value, list):
        for inner in value:
            _fill(ElementTree.SubElement(element, "item"), inner)
    elif value is not None:
        element.text = str(value)
