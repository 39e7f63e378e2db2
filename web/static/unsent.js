// What was tapped or typed and not yet sent, kept by this window of the browser: it outlives a reload, another language
// and a look at another page.

export function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null; // a browser that keeps nothing
  }
}

// what was kept under names that begin so, but for one, is of an evening that is over
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
