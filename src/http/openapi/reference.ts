import Fastify from 'fastify'
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Asset, createAsset, sendAsset } from '../assets.ts'
import { describeApi, type DocumentOptions } from './document.ts'
import { JSON_TYPE } from '../reply.ts'
import { BursarError } from '../../platform/errors.ts'
import { readdir, readFile } from 'node:fs/promises'

/** The reference is a page of ours: what would lead to its maker's services is switched off. */
const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
} as const

const PAGE = '/docs/'
const SCRIPT = '/docs/js/scalar.js'

/**
 * The API reference under `/docs`. The package that makes it takes longer to load than the rest of the server, so it is
 * loaded for the first reader, asked once for its two files, and let go.
 */
export function addReference(app: FastifyInstance): void {
  let assets: Promise<Map<string, Asset>> | null = null
  let guides: Promise<Map<string, Asset>> | null = null
  app.get('/docs', (_request, reply) => reply.redirect(PAGE, 301))
  app.get(`${GUIDES}search`, async (request, reply) => {
    const { q } = request.query as { q?: unknown }
    return reply
      .headers({ ...PROTECTION, 'content-type': 'text/html; charset=utf-8' })
      .send(await searchGuides(typeof q === 'string' ? q : ''))
  })
  app.get('/docs/*', async (request, reply) => {
    const [path = ''] = request.url.split('?')
    const pages = path.startsWith(GUIDES) ? (guides ??= makeGuides()) : (assets ??= makeAssets())
    const asset = (await pages).get(path)
    if (asset === undefined)
      throw new BursarError('HUE00001', 'There is no such page. The API reference is at /docs.')
    return sendAsset(request, reply, asset)
  })
}

async function makeAssets(): Promise<Map<string, Asset>> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const reference = Fastify()
  await reference.register(apiReference, { routePrefix: '/docs', configuration: SETTINGS })
  try {
    const page = (await reference.inject({ url: PAGE })).body
    const script = (await reference.inject({ url: SCRIPT })).rawPayload
    return new Map([
      [PAGE, await createAsset(Buffer.from(page), 'text/html; charset=utf-8', protection(page))],
      [SCRIPT, await createAsset(script, 'text/javascript; charset=utf-8')],
    ])
  } finally {
    await reference.close()
  }
}

/** Its own two files, the one script that stands in the page, and calls to this server: nothing else is loaded or run. */
function protection(page: string): Record<string, string> {
  const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = inline.map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${hashes.join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  }
}

/** Serves the document of all routes; made for its first reader. */
export function addOpenApi(app: FastifyInstance, options: DocumentOptions): void {
  const document = (): object => describeApi(app.routeTable, options)
  serve(app, '/openapi.json', () => createAsset(Buffer.from(JSON.stringify(document())), JSON_TYPE))
  serve(app, '/openapi.yaml', () =>
    createAsset(Buffer.from(toYaml(document())), 'application/yaml; charset=utf-8'),
  )
}

function serve(app: FastifyInstance, url: string, make: () => Promise<Asset>): void {
  let asset: Promise<Asset> | null = null
  app.get(url, async (request, reply) => {
    asset ??= make()
    return sendAsset(request, reply, await asset)
  })
}

/** JSON as YAML 1.2 in block style; texts are in double quotes, in which YAML reads what JSON writes. */
function toYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: unknown): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? ['[]'] : value.flatMap(item => hang('- ', lines(item)))
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return entries.length === 0 ? ['{}'] : entries.flatMap(([key, field]) => entry(toKey(key), field))
}

function entry(key: string, value: unknown): string[] {
  const below = lines(value)
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isBlock ? [`${key}:`, ...below.map(line => `  ${line}`)] : [`${key}: ${below[0]}`]
}

function hang(mark: string, [first = '', ...rest]: string[]): string[] {
  return [mark + first, ...rest.map(line => `  ${line}`)]
}

/** Words that an older reader takes for a flag or for nothing, and numbers, are no plain keys. */
function toKey(key: string): string {
  const isPlain = /^[A-Za-z_$][\w$-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key)
  return isPlain ? key : JSON.stringify(key)
}

const FOLDER = new URL('../../../docs/erp-developer/', import.meta.url)
const GUIDES = '/docs/guides/'

/** The first guides, in the order in which a developer needs them; others follow by name. */
const FIRST = [
  'first-hour',
  'clients',
  'samples',
  'command-line',
  'integration',
  'money',
  'errors',
  'events',
  'testing',
  'integration-check',
  'sandbox',
]

/** Languages between which a reader switches, by the name behind the fence. */
const LANGUAGES = { sh: 'curl', js: 'Node', python: 'Python', php: 'PHP', java: 'Java' } as const

const STYLE = `body{font:16px/1.55 system-ui,sans-serif;color:#1a1d21;background:#fff;margin:0}
main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 4rem}nav{background:#f3f4f6;padding:.75rem 1rem;display:flex;flex-wrap:wrap}
nav{align-items:center;gap:.5rem 0}nav a{margin-right:1rem;white-space:nowrap}nav input,nav button{font:inherit;padding:.2rem .5rem}nav input{width:11rem}a{color:#0b57d0}pre,code{font:13.5px/1.5 ui-monospace,monospace;background:#f3f4f6}
pre{padding:.75rem;overflow-x:auto;border-radius:6px}code{padding:.1em .25em;border-radius:4px;overflow-wrap:anywhere}pre code{padding:0;overflow-wrap:normal}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #d5d9de;padding:.35rem .6rem;text-align:left;vertical-align:top}
.in{position:fixed;top:0;left:0;opacity:0}.languages>p{margin:0 0 -.5rem}.languages label{display:inline-block;padding:.25rem .75rem;border:1px solid transparent;border-radius:6px;cursor:pointer}
.languages pre{display:none}${Object.keys(LANGUAGES)
  .map(
    name =>
      `body:has(#in-${name}:checked) .languages pre.${name}{display:block}body:has(#in-${name}:checked) .languages label[for=in-${name}]{background:#e0ecff;border-color:#0b57d0}body:has(#in-${name}:focus-visible) .languages label[for=in-${name}]{outline:2px solid #0b57d0}`,
  )
  .join('')}`

/** One choice for all samples of a page, which needs no script. */
const CHOICE = Object.entries(LANGUAGES)
  .map(
    ([name, title], index) =>
      `<input class="in" type="radio" name="language" id="in-${name}" aria-label="Samples: ${title}"${index === 0 ? ' checked' : ''}>`,
  )
  .join('')

const PROTECTION = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

type Guide = { name: string; title: string; text: string }

async function readGuides(): Promise<Guide[]> {
  const files = (await readdir(FOLDER)).filter(name => name.endsWith('.md'))
  const names = files.map(name => name.slice(0, -'.md'.length)).sort((one, other) => rank(one) - rank(other))
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(`${name}.md`, FOLDER), 'utf8')
      return { name, title: /^# (.*)$/m.exec(text)?.[1] ?? name, text }
    }),
  )
}

/** The guides of docs/erp-developer as pages, by their address. */
async function makeGuides(): Promise<Map<string, Asset>> {
  const guides = await readGuides()
  const list = guides.map(({ name, title }) => `- [${title}](${name}.md)`).join('\n')
  const pages = [{ name: '', title: 'Guides', text: `# Guides\n\n${list}\n` }, ...guides]
  return new Map(
    await Promise.all(
      pages.map(async ({ name, title, text }): Promise<[string, Asset]> => {
        const html = writePage(title, toHtml(text, linkOf))
        return [GUIDES + name, await createAsset(Buffer.from(html), 'text/html; charset=utf-8', PROTECTION)]
      }),
    ),
  )
}

function rank(name: string): number {
  const at = FIRST.indexOf(name)
  return at === -1 ? FIRST.length : at
}

/** What stands elsewhere in the repository is no page here. */
function linkOf(address: string): string | null {
  if (/^(?:https:|#|\/)/.test(address)) return address
  const guide = /^([\w-]+)\.md(#[\w-]+)?$/.exec(address)
  return guide === null ? null : `${GUIDES}${guide[1]}${guide[2] ?? ''}`
}

function writePage(title: string, body: string, query = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Bursar</title><style>${STYLE}</style></head>
<body><nav><a href="${GUIDES}">Guides</a><a href="/docs/">API reference</a><a href="/openapi.json">OpenAPI document</a><form action="${GUIDES}search" role="search"><input type="search" name="q" maxlength="100" aria-label="Search the guides" value="${query}"> <button>Search</button></form></nav>
<main>
${body.includes('class="languages"') ? CHOICE : ''}${body}
</main></body></html>
`
}

const MOST_LETTERS = 100
const MOST_WORDS = 8
const MOST_FOUND = 30
const EXCERPT = 180

/** A part of a guide under a heading of its own. */
type Section = { guide: Guide; heading: string; text: string }

/** The sections that have every word, those that have them in their heading first. */
async function searchGuides(asked: string): Promise<string> {
  const query = asked.trim().slice(0, MOST_LETTERS)
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS)
  const sections = words.length === 0 ? [] : (await readGuides()).flatMap(sectionsOf)
  const has = (text: string): boolean => words.every(word => text.toLowerCase().includes(word))
  const found = sections
    .filter(({ guide, heading, text }) => has(`${guide.title} ${heading} ${text}`))
    .toSorted((one, other) => Number(has(other.heading)) - Number(has(one.heading)))
    .slice(0, MOST_FOUND)
  const items = found.map(section => `<li>${writeFound(section, words[0] ?? '')}</li>`).join('\n')
  const none = words.length === 0 ? 'Type what you are looking for.' : `Nothing has “${escape(query)}”.`
  const list =
    found.length === 0 ? `<p>${none} The reference has a search of its own.</p>` : `<ul>${items}</ul>`
  return writePage('Search', `<h1 id="search">Search the guides</h1>\n${list}`, escape(query))
}

function sectionsOf(guide: Guide): Section[] {
  return guide.text.split(/^(?=#{1,3} )/m).map(part => {
    const [first = '', ...lines] = part.split('\n')
    return { guide, heading: first.replace(/^#+ /, ''), text: lines.join('\n') }
  })
}

function writeFound({ guide, heading, text }: Section, word: string): string {
  const line =
    text.split('\n').find(one => one.toLowerCase().includes(word)) ?? text.trim().split('\n')[0] ?? ''
  const place = heading === guide.title ? guide.title : `${guide.title}: ${heading}`
  const address = `${GUIDES}${guide.name}#${anchorOf(heading)}`
  return `<a href="${address}">${escape(place.replaceAll('`', ''))}</a><br>${escape(line.slice(0, EXCERPT))}`
}

/**
 * Renders as much of Markdown as our own guides use: headings, paragraphs, lists, tables, code, bold text and links. It reads
 * only files of this repository.
 */
type Links = (address: string) => string | null

type ParsedBlock = { html: string; rest: string[] }

function toHtml(markdown: string, links: Links): string {
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
function anchorOf(heading: string): string {
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

function escape(text: string): string {
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
