"""Pack & Stack: rules.py the rulebook, interface.py how it looks, loads.py loads, advice.py the best load."""
