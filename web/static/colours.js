// Whose dice are which: nothing can be said before a die was touched.

const form = document.querySelector("[data-touch]");

if (form) {
  const say = form.querySelector("button");
  const wait = () => { say.disabled = !form.querySelector("[name=die]:checked"); };
  form.addEventListener("change", wait);
  window.addEventListener("pageshow", wait); // a page that comes back may bring its touched dice along
  wait();
}
