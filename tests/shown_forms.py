"""What a browser would send of a form that a page shows."""

import html
import re


def fields_of(page, action=""):
    """What a tap on a page's form for names sends: what stands in it, without the buttons.

    action      how the address of the form ends, where there are several
    """
    forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
    form = next(form for form in forms if f'{action}"' in form)
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    typed = re.findall(r'<textarea name="(\w+)"[^>]*>(.*?)</textarea>', form, re.DOTALL)
    chosen = [
        (name, next(iter(re.findall(r'value="(\w*)" selected', options)), ""))
        for name, options in re.findall(r'<select name="(\w+)">(.*?)</select>', form, re.DOTALL)
    ]
    return {name: html.unescape(value) for name, value in (*hidden, *typed, *chosen)}
