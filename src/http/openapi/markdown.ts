/**
 * As much of Markdown as our own guides use: headings, paragraphs, lists, tables, code, bold text and links. Only files
 * of this repository are read by it.
 */
type Links = (address: string) => string | null

type ParsedBlock = { html: string; rest: string[] }

export function toHtml(markdown: string, links: Links): string {
  let lines = markdown.split('\n')
  const parts: string[] = []
  while (lines.length > 0) {
    const { html, rest } = readBlock(lines, links)
    if (html !== '') parts.push(html)
    lines = rest
  }
  return parts.join('\n')
}

function readBlock(lines: string[], links: Links): ParsedBlock {
  const [first = '', second = ''] = lines
  if (first.trim() === '') return { html: '', rest: lines.slice(1) }
  if (first.startsWith('```')) return readCode(lines)
  const heading = /^(#{1,4}) (.*)$/.exec(first)
  if (heading !== null) return { html: writeHeading(heading, links), rest: lines.slice(1) }
  if (first.startsWith('|') && /^\|[-:| ]+\|$/.test(second)) return readTable(lines, links)
  if (isItem(first)) return readList(lines, links)
  const taken = takeWhile(lines, line => line.trim() !== '' && !line.startsWith('```') && !isItem(line))
  return { html: `<p>${inline(taken.join(' '), links)}</p>`, rest: lines.slice(taken.length) }
}

/** Languages between which a reader switches, by the name behind the fence. */
export const LANGUAGES = { sh: 'curl', js: 'Node', python: 'Python', php: 'PHP', java: 'Java' } as const

/** The same in several languages, one after the other, is shown in one of them at a time. */
function readCode(lines: string[]): ParsedBlock {
  const blocks: { language: string; html: string }[] = []
  let rest = lines
  do {
    const language = (rest[0] ?? '').slice('```'.length)
    const inner = takeWhile(rest.slice(1), line => line !== '```')
    const name = Object.hasOwn(LANGUAGES, language) ? ` class="${language}"` : ''
    blocks.push({ language, html: `<pre${name}><code>${escape(inner.join('\n'))}</code></pre>` })
    rest = rest.slice(inner.length + 2)
  } while (rest[0] === '' && isOtherLanguage(rest[1], blocks) && (rest = rest.slice(1)).length > 0)
  const html = blocks.map(block => block.html).join('\n')
  if (blocks.length === 1) return { html, rest }
  const labels = blocks.map(
    ({ language }) => `<label for="in-${language}">${LANGUAGES[language as keyof typeof LANGUAGES]}</label>`,
  )
  return { html: `<div class="languages"><p>${labels.join('')}</p>\n${html}</div>`, rest }
}

function isOtherLanguage(fence: string | undefined, before: readonly { language: string }[]): boolean {
  const language = fence?.startsWith('```') === true ? fence.slice('```'.length) : ''
  const languages = before.map(block => block.language)
  return [language, ...languages].every(one => Object.hasOwn(LANGUAGES, one)) && !languages.includes(language)
}

/** Links to a heading use this anchor. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function writeHeading([, marks = '', text = '']: RegExpExecArray, links: Links): string {
  return `<h${marks.length} id="${anchorOf(text)}">${inline(text, links)}</h${marks.length}>`
}

function readTable(lines: string[], links: Links): ParsedBlock {
  const rows = takeWhile(lines, line => line.startsWith('|'))
  const cellsOf = (row: string, tag: string): string =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(cell => `<${tag}>${inline(cell.trim().replaceAll('\\|', '|'), links)}</${tag}>`)
      .join('')
  const [head = '', , ...body] = rows
  const written = body.map(row => `<tr>${cellsOf(row, 'td')}</tr>`).join('\n')
  return {
    html: `<table>\n<tr>${cellsOf(head, 'th')}</tr>\n${written}\n</table>`,
    rest: lines.slice(rows.length),
  }
}

function isItem(line: string): boolean {
  return /^(?:- |\d{1,3}\. )/.test(line)
}

/** An item goes on in lines that are indented. */
function readList(lines: string[], links: Links): ParsedBlock {
  const taken = takeWhile(lines, line => isItem(line) || line.startsWith('  '))
  const items = taken.reduce<string[]>((all, line) => {
    if (isItem(line)) all.push(line.replace(/^\S+ /, ''))
    else all.push(`${all.pop() ?? ''} ${line.trim()}`)
    return all
  }, [])
  const start = /^\d+/.exec(lines[0] ?? '')?.[0]
  const [open, close] = start === undefined ? ['<ul>', '</ul>'] : [`<ol start="${start}">`, '</ol>']
  const written = items.map(item => `<li>${inline(item, links)}</li>`).join('\n')
  return { html: `${open}\n${written}\n${close}`, rest: lines.slice(taken.length) }
}

function inline(text: string, links: Links): string {
  return text
    .split(/(`[^`]*`)/)
    .map(part => (part.startsWith('`') ? `<code>${escape(part.slice(1, -1))}</code>` : escape(part)))
    .join('')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^[\]]*)\]\(([^()\s]+)\)/g, (_, label: string, address: string) => {
      const target = links(address)
      return target === null ? label : `<a href="${target}">${label}</a>`
    })
}

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function takeWhile(lines: readonly string[], isWanted: (line: string) => boolean): string[] {
  const end = lines.findIndex(line => !isWanted(line))
  return end === -1 ? [...lines] : lines.slice(0, end)
}
