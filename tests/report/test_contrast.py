"""Text can be read in light and in dark: WCAG asks for a contrast of 4.5."""

import re
from importlib.resources import files

import numpy as np
import pytest

CSS = (files("untie.report") / "templates" / "report.css").read_text()
LIGHT, DARK = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]


def colors(block):
    return {
        name: np.array([int(code[place : place + 2], 16) for place in (0, 2, 4)]) / 255
        for name, code in re.findall(r"--(\w+): #(\w{6});", block)
    }


def luminance(color):
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast(np.zeros(3), np.ones(3)) == pytest.approx(21)
    gray = np.full(3, 0x76 / 255)  # the lightest gray that may stand on white
    assert 4.5 < contrast(gray, np.ones(3)) < 4.6


@pytest.mark.parametrize("block", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out(block):
    known = colors(block)
    for text in ("text", "soft", "link"):
        for back in ("back", "panel"):
            assert contrast(known[text], known[back]) >= 4.5, (text, back)
    share = float(re.search(r"var\(--hot\) calc\(var\(--t\) \* (\d+)%\)", CSS)[1]) / 100
    for end in ("hot", "cold"):
        for step in range(11):  # cells of heat maps
            part = share * step
            mixed = part * known[end] + (1 - part) * known["back"]
            assert contrast(known["text"], mixed) >= 4.5, (end, step)
