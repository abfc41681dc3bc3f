import type { FastifyInstance } from 'fastify'
import { BursarError } from '../../platform/errors.ts'
import { type Asset, createAsset, sendAsset } from '../assets.ts'
import type { DocumentOptions } from '../openapi/document.ts'
import { describeApi } from '../openapi/document.ts'
import { makeReference } from '../openapi/reference.ts'
import { type DocsPage, GUIDES, readGuides, readSamples, withLinks } from './guides.ts'
import { toHtml } from './markdown.ts'
import { PROTECTION, writePage } from './page.ts'
import { REFERENCE, referencePages } from './reference-pages.ts'
import { searchGuides } from './search.ts'

const HTML = 'text/html; charset=utf-8'
/** The media type of RFC 7763. */
const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

const LEAD = `Self-hosted fee collection for schools and colleges in India. An ERP sends students, fees and past payments over
an HTTP API, creates pay orders and payment links, and is notified by webhooks; families pay on hosted pages.`

/** Guides and reference: as pages for people, as texts for assistants, of the same files. */
export function docsRoutes(app: FastifyInstance, options: DocumentOptions): void {
  let reference: Promise<Map<string, Asset>> | null = null
  let texts: Promise<Map<string, Asset>> | null = null
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301))
  app.get(`${GUIDES}search`, async (request, reply) => {
    const { q } = request.query as { q?: unknown }
    return reply
      .headers({ ...PROTECTION, 'content-type': HTML })
      .send(await searchGuides(typeof q === 'string' ? q : ''))
  })
  for (const url of ['/docs/*', '/llms.txt', '/llms-full.txt'])
    app.get(url, async (request, reply) => {
      const [path = ''] = request.url.split('?')
      texts ??= makeTexts(referencePages(describeApi(app.routeTable, options)), options.publicUrl)
      const asset = (await texts).get(path) ?? (await (reference ??= makeReference())).get(path)
      if (asset === undefined)
        throw new BursarError('HUE00001', 'There is no such page. The API reference is at /docs.')
      return sendAsset(request, reply, asset)
    })
}

async function makeTexts(reference: DocsPage[], publicUrl: string): Promise<Map<string, Asset>> {
  const guides = await readGuides()
  const pages = [
    listPage(GUIDES, 'Guides', guides),
    listPage(REFERENCE, 'Reference', reference),
    ...guides,
    ...reference,
  ]
  const llms = writeIndex(guides, reference, publicUrl)
  const whole = [...guides, ...reference].map(page => withLinks(page.text, addressFrom(page, publicUrl)))
  const files = [
    ...pages.flatMap(page => [
      { address: page.address, body: pageOf(page), type: HTML, headers: PROTECTION },
      { address: textAddress(page.address), body: page.text, type: MARKDOWN },
    ]),
    ...(await readSamples()).map(({ address, body }) => ({ address, body, type: TEXT })),
    { address: '/llms.txt', body: llms, type: TEXT },
    {
      address: '/llms-full.txt',
      body: [`# Bursar\n\n> ${oneLine(LEAD)}\n`, ...whole].join('\n'),
      type: TEXT,
    },
  ]
  const assets = files.map(async ({ address, body, type, ...more }): Promise<[string, Asset]> => [
    address,
    await createAsset(Buffer.from(body), type, 'headers' in more ? more.headers : {}),
  ])
  return new Map(await Promise.all(assets))
}

function pageOf({ address, title, text }: DocsPage): string {
  const linked = withLinks(text, link => {
    if (/^(?:https?:|#)/.test(link)) return link
    const { pathname, hash } = new URL(link, new URL(address, 'http://here'))
    return pathname.replace(/\.md$/, '').replace(/\/index$/, '/') + hash
  })
  return writePage({ title, body: toHtml(linked), markdown: textAddress(address) })
}

function textAddress(address: string): string {
  return `${address}${address.endsWith('/') ? 'index' : ''}.md`
}

function listPage(address: string, title: string, pages: readonly DocsPage[]): DocsPage {
  const list = pages.map(page => `- [${page.title}](${page.address.slice(address.length)}.md)`)
  return { address, title, text: `# ${title}\n\n${list.join('\n')}\n` }
}

function addressFrom(page: DocsPage, publicUrl: string): (link: string) => string {
  return link => new URL(link, new URL(textAddress(page.address), publicUrl)).href
}

/** The index of all pages, in the form of llmstxt.org. */
function writeIndex(guides: readonly DocsPage[], reference: readonly DocsPage[], publicUrl: string): string {
  const at = (path: string): string => new URL(path, publicUrl).href
  const list = (pages: readonly DocsPage[]): string =>
    pages
      .map(page => `- [${page.title}](${at(textAddress(page.address))}): ${firstSentence(page.text)}`)
      .join('\n')
  return `# Bursar

> ${oneLine(LEAD)}

Every page of the documentation is Markdown at its address with \`.md\` behind it. Amounts are rupees as decimal numbers. To try a call, use a
sandbox: it has test credentials, a simulated bank and a clock that you move.

## Guides

${list(guides)}

## Reference

${list(reference)}
- [OpenAPI document](${at('/openapi.json')}): every operation and event with all schemas, for programs

## Optional

- [Everything in one file](${at('/llms-full.txt')}): all guides and the reference
- [Lender protocol](${at('/lender/openapi.json')}): what a lender's system serves and sends
`
}

/** What a page is about, by its own first words. */
function firstSentence(text: string): string {
  const [, first = ''] = text.split('\n\n')
  const [item = ''] = first.split('\n- ')
  const plain = oneLine(withLinks(item, () => null))
    .replaceAll('**', '')
    .replace(/^(?:-|1\.) /, '')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
