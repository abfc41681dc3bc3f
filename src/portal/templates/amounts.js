// Groups an amount while it is typed: 1,23,456.50. The server reads it with commas and without.
function isOneKey(before, typed) {
  let at = 0
  while (at < before.length && before[at] === typed[at]) at++
  const [was, is] = [before.slice(at), typed.slice(at)]
  return was.slice(1) === is || was === is.slice(1) || was.slice(1) === is.slice(1)
}

/** Three digits, and before them two by two. */
function groupDigits(plain) {
  const [whole, ...paise] = plain.split('.')
  const groups = [whole.slice(-3)]
  for (let end = whole.length - 3; end > 0; end -= 2) groups.unshift(whole.slice(Math.max(0, end - 2), end))
  return [groups.join(','), ...paise].join('.')
}

const digitsBefore = (text, caret) => text.slice(0, caret).replace(/[^\d.]/g, '').length

for (const input of document.querySelectorAll('input[inputmode=decimal]')) {
  let before = input.value

  input.addEventListener('input', () => {
    const typed = input.value
    // One key more or less is grouped anew; what was pasted stays, unless it is a plain number.
    const isTyped = isOneKey(before, typed)
    before = typed
    if (!(isTyped ? /^[\d,]*(\.\d*)?$/ : /^\d*(\.\d*)?$/).test(typed)) return
    const shown = groupDigits(typed.replaceAll(',', ''))
    if (shown === typed) return
    let left = digitsBefore(typed, input.selectionStart)
    let caret = 0
    while (left > 0) if (shown[caret++] !== ',') left--
    before = input.value = shown
    input.setSelectionRange(caret, caret)
  })
}
