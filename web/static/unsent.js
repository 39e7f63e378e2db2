// Input that was not sent yet, stored for this browser window: it survives a reload, a change of language and a visit
// to another page.

export function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null; // a browser that keeps nothing
  }
}

// deletes everything under names with this beginning but one: it is out of date
export function forgetOthers(beginning, name) {
  try {
    Object.keys(sessionStorage)
      .filter((each) => each.startsWith(beginning) && each !== name)
      .forEach((each) => sessionStorage.removeItem(each));
  } catch {
    // a browser that keeps nothing
  }
}

// null forgets it
export function keep(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // then it holds for this page only
  }
}
