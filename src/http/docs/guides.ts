import { readdir, readFile } from 'node:fs/promises'

/** The guides of docs/erp-developer. A new file there is a page, is found, and stands in the lists of people and of assistants. */
const FOLDER = new URL('../../../docs/erp-developer/', import.meta.url)
export const GUIDES = '/docs/guides/'

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

/** A page as Markdown: `address` is that of the page, the same with `.md` behind it is the text itself. */
export type DocsPage = { address: string; title: string; text: string }

export async function readGuides(): Promise<DocsPage[]> {
  const files = (await readdir(FOLDER)).filter(name => name.endsWith('.md'))
  const names = files.map(name => name.slice(0, -'.md'.length)).sort((one, other) => rank(one) - rank(other))
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(`${name}.md`, FOLDER), 'utf8')
      return { address: GUIDES + name, title: titleOf(text), text: withLinks(text, keepServed) }
    }),
  )
}

/** Files that guides link to: what a reader downloads and runs. */
export async function readSamples(): Promise<{ address: string; body: Buffer }[]> {
  const folder = new URL('samples/', FOLDER)
  return Promise.all(
    (await readdir(folder)).map(async name => ({
      address: `${GUIDES}samples/${name}`,
      body: await readFile(new URL(name, folder)),
    })),
  )
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? ''
}

function rank(name: string): number {
  const at = FIRST.indexOf(name)
  return at === -1 ? FIRST.length : at
}

/** What stands elsewhere in the repository is no page here: its label remains. */
function keepServed(address: string): string | null {
  return address.startsWith('../') ? null : address
}

/** The text with other links; null leaves the label alone. Blocks of code have none. */
export function withLinks(text: string, change: (address: string) => string | null): string {
  let isCode = false
  const lines = text.split('\n').map(line => {
    if (line.startsWith('```')) isCode = !isCode
    return isCode
      ? line
      : line.replaceAll(/!?\[([^[\]]*)\]\(([^()\s]+)\)/g, (_, label: string, address: string) => {
          const target = change(address)
          return target === null ? label : `[${label}](${target})`
        })
  })
  return lines.join('\n')
}
