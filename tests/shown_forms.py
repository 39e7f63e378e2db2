"""What a browser would send of a form that a page shows."""

import html
import re


def fields_of(page):
    """What a tap on a page's form for names sends: what stands in it, without the buttons."""
    form = re.search(r"<form.*?</form>", page, re.DOTALL)[0]
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    typed = re.findall(r'<textarea name="(\w+)"[^>]*>(.*?)</textarea>', form, re.DOTALL)
    chosen = [
        (name, next(iter(re.findall(r'value="(\w*)" selected', options)), ""))
        for name, options in re.findall(r'<select name="(\w+)">(.*?)</select>', form, re.DOTALL)
    ]
    return {name: html.unescape(value) for name, value in (*hidden, *typed, *chosen)}
