// @ts-check
// The slider of moments says where it stands, and goes there when it is let go.
const slider = document.querySelector('input[type="range"][name="at"]');
if (slider instanceof HTMLInputElement) {
  const told = document.createElement("output");
  const tell = () => (told.textContent = ` ${slider.value} of ${slider.max}`);
  slider.after(told);
  tell();
  slider.addEventListener("input", tell);
  slider.addEventListener("change", () => slider.form?.requestSubmit());
}
