// The scripts' messages in the page's language: the page holds the translations, English is in the code.

const words = JSON.parse(document.querySelector('meta[name="words"]')?.content || "{}");
const language = document.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);

function filled(message, values) {
  const whole = message.replace(/\} (?=(?:ms|s|min|h)\b)/g, "}\u00a0"); // no line ends between a number and its unit
  return whole.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

export function t(message, values = {}) {
  return filled(words[message] ?? message, values);
}

// The catalogue's forms are in the order of the language's plural categories: one, few, many, other.
export function tn(one, many, n, values = {}) {
  const forms = words[one] ?? [one, many];
  const form = plurals.resolvedOptions().pluralCategories.indexOf(plurals.select(n));
  return filled(forms[Math.min(form, forms.length - 1)], { n, ...values });
}

export function number(value, digits = 0) {
  return value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}
