// Adds up what is ticked; without it a button does.
const form = document.getElementById('choose')

function sumOf(boxes) {
  const lateFees = new Map()
  let paise = 0
  for (const { checked, dataset } of boxes) {
    if (!checked) continue
    paise += Number(dataset.paise)
    // A rule's late fee comes once, with whichever of its fees.
    if (dataset.rule) lateFees.set(dataset.rule, Number(dataset.late))
  }
  return [...lateFees.values()].reduce((sum, late) => sum + late, paise)
}

function show(place, paise) {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const text = place.dataset.text.replace('{amount}', '₹' + (paise / 100).toLocaleString('en-IN', digits))
  // A reader on its way through the page is told of changes alone.
  if (place.textContent !== text) place.textContent = text
}

function update() {
  let total = 0
  for (const child of form.querySelectorAll('fieldset')) {
    const paise = sumOf(child.querySelectorAll('input[name=fee]'))
    const place = child.querySelector('[data-text]')
    if (place) show(place, paise)
    total += paise
  }
  show(form.querySelector('.total'), total)
  form.elements.sum.value = total
  const button = document.querySelector('button[value=pay]')
  if (total > 0) show(button, total)
  else button.textContent = button.dataset.none
}

if (form) {
  form.querySelector('button[value=total]').remove()
  form.addEventListener('change', update)
  // Coming back to the page, a browser ticks what was ticked.
  addEventListener('pageshow', update)
}
