/** What a person sees of an emulated vendor: plain pages with buttons. */
export function list<T>(title: string, all: readonly T[], show: (one: T) => string): string {
  const items = all
    .toReversed()
    .slice(0, 50)
    .map(one => `<li>${show(one)}</li>`)
  return `<h2>${title}</h2>${items.length === 0 ? '<p>None.</p>' : `<ul>${items.join('')}</ul>`}`
}

/** Acts on the desk have an address relative to it, because it may be one of several at an address. */
export function button(on: string, verb: string, label = verb, action = on === '' ? '' : 'act'): string {
  const target = action === '' ? '' : ` action="${action}"`
  return `<form method="post"${target}><input type="hidden" name="on" value="${on}"><button name="do" value="${verb}">${label}</button></form>`
}

export function page(vendor: string, title: string, parts: readonly string[]): string {
  const style =
    'body{font:16px system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}form{display:inline}button{margin:.2rem}'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${vendor} emulator</title><style>${style}</style><p>${vendor} emulator: no money moves here.</p>
<h1>${escape(title)}</h1>${parts.join('\n')}</html>`
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
