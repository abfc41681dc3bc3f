/** Languages between which a reader switches, by the name behind the fence. */
export const LANGUAGES = { sh: 'curl', js: 'Node', python: 'Python', php: 'PHP', java: 'Java' } as const

/**
 * Renders as much of Markdown as our own guides use: headings, paragraphs, lists, tables, code, bold text and links. It reads
 * only files of this repository and the reference that is written of our own routes.
 */
type ParsedBlock = { html: string; rest: string[] }

export function toHtml(markdown: string): string {
  let lines = markdown.split('\n')
  const parts: string[] = []
  while (lines.length > 0) {
    const { html, rest } = readBlock(lines)
    if (html !== '') parts.push(html)
    lines = rest
  }
  return parts.join('\n')
}

function readBlock(lines: string[]): ParsedBlock {
  const [first = '', second = ''] = lines
  if (first.trim() === '') return { html: '', rest: lines.slice(1) }
  if (first.startsWith('```')) return readCode(lines)
  const heading = /^(#{1,4}) (.*)$/.exec(first)
  if (heading !== null) return { html: writeHeading(heading), rest: lines.slice(1) }
  if (first.startsWith('|') && /^\|[-:| ]+\|$/.test(second)) return readTable(lines)
  if (isItem(first)) return readList(lines)
  const taken = takeWhile(lines, line => line.trim() !== '' && !line.startsWith('```') && !isItem(line))
  return { html: `<p>${inline(taken.join(' '))}</p>`, rest: lines.slice(taken.length) }
}

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

function writeHeading([, marks = '', text = '']: RegExpExecArray): string {
  return `<h${marks.length} id="${anchorOf(text)}">${inline(text)}</h${marks.length}>`
}

function readTable(lines: string[]): ParsedBlock {
  const rows = takeWhile(lines, line => line.startsWith('|'))
  const [head = '', , ...body] = rows
  const written = body.map(row => `<tr>${cellsOf(row, 'td')}</tr>`).join('\n')
  return {
    html: `<table>\n<tr>${cellsOf(head, 'th')}</tr>\n${written}\n</table>`,
    rest: lines.slice(rows.length),
  }
}

function cellsOf(row: string, tag: string): string {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map(cell => `<${tag}>${inline(cell.trim().replaceAll('\\|', '|'))}</${tag}>`)
    .join('')
}

function isItem(line: string): boolean {
  return /^(?:- |\d{1,3}\. )/.test(line)
}

/** An item goes on in lines that are indented. */
function readList(lines: string[]): ParsedBlock {
  const taken = takeWhile(lines, line => isItem(line) || line.startsWith('  '))
  const items = taken.reduce<string[]>((all, line) => {
    if (isItem(line)) all.push(line.replace(/^\S+ /, ''))
    else all.push(`${all.pop() ?? ''} ${line.trim()}`)
    return all
  }, [])
  const start = /^\d+/.exec(lines[0] ?? '')?.[0]
  const [open, close] = start === undefined ? ['<ul>', '</ul>'] : [`<ol start="${start}">`, '</ol>']
  const written = items.map(item => `<li>${inline(item)}</li>`).join('\n')
  return { html: `${open}\n${written}\n${close}`, rest: lines.slice(taken.length) }
}

function inline(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map(part => (part.startsWith('`') ? `<code>${escape(part.slice(1, -1))}</code>` : escape(part)))
    .join('')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^[\]]*)\]\(([^()\s]+)\)/g, '<a href="$2">$1</a>')
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
