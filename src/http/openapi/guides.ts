import { readdir, readFile } from 'node:fs/promises'
import { createAsset, type Asset } from '../assets.ts'
import { LANGUAGES, toHtml, anchorOf, escape } from './markdown.ts'

const FOLDER = new URL('../../../docs/erp-developer/', import.meta.url)
export const GUIDES = '/docs/guides/'

/** In the order in which a developer needs them; others follow by name. */
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

export const PROTECTION = {
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
export async function makeGuides(): Promise<Map<string, Asset>> {
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
export async function searchGuides(asked: string): Promise<string> {
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
