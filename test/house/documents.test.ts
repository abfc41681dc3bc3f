import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Each finder is shown a planted offence before it looks at the real documents. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
type Document = { path: string; text: string }

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(path => path !== '' && existsSync(join(ROOT, path)))
const documents: Document[] = paths
  .filter(path => path.endsWith('.md'))
  .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
const pictures = paths.filter(path => /^docs\/.*\.(png|jpe?g|gif|svg|webp)$/.test(path))

/** What a document links to within the repository; code is not looked at. */
function linksOf({ path, text }: Document): { target: string; anchor: string }[] {
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, address = '']) => address)
    .filter(address => !/^[a-z]+:/i.test(address))
    .map(address => {
      const [file = '', anchor = ''] = address.split('#')
      return { target: file === '' ? path : normalize(join(dirname(path), file)), anchor }
    })
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function brokenLinks(among: Document[], exists: (target: string) => boolean): string[] {
  const texts = new Map(among.map(({ path, text }) => [path, text]))
  return among.flatMap(document =>
    linksOf(document)
      .filter(({ target, anchor }) => {
        const text = texts.get(target)
        return !exists(target) || (anchor !== '' && text !== undefined && !anchorsOf(text).has(anchor))
      })
      .map(({ target, anchor }) => `${document.path}: ${target}${anchor && `#${anchor}`}`),
  )
}

test('every link within the documents leads to a file, and to a heading where it names one', () => {
  const planted = [
    { path: 'docs/a.md', text: '# One thing\n[x](b.md) [y](#one-thing) [z](#other) `[c](d.md)`' },
  ]
  assert.deepEqual(
    brokenLinks(planted, path => path === 'docs/a.md'),
    ['docs/a.md: docs/b.md', 'docs/a.md: docs/a.md#other'],
  )
  assert.deepEqual(
    brokenLinks(documents, target => existsSync(join(ROOT, target))),
    [],
  )
})

function unshownPictures(among: Document[], present: string[]): string[] {
  const shown = new Set(among.flatMap(linksOf).map(({ target }) => target))
  return present.filter(picture => !shown.has(picture))
}

test('every picture under docs is shown by a document', () => {
  const planted = [{ path: 'README.md', text: '![a](docs/a.png)' }]
  assert.deepEqual(unshownPictures(planted, ['docs/a.png', 'docs/b.png']), ['docs/b.png'])
  assert.deepEqual(unshownPictures(documents, pictures), [])
})

const INDEX = 'docs/adr/README.md'
const records = documents.filter(({ path }) => path.startsWith('docs/adr/') && path !== INDEX)

const isUndated = ({ path, text }: Document): boolean =>
  !(
    /\/\d{4}-[a-z0-9-]+\.md$/.test(path) &&
    /\bDate: \d{4}-\d\d-\d\d\b/.test(text) &&
    /\bStatus: \w/.test(text)
  )

test('every decision record has a number, a date and a status', () => {
  assert.ok(isUndated({ path: 'docs/adr/0001-a.md', text: '# 1. A\n' }))
  assert.ok(isUndated({ path: 'docs/adr/a.md', text: 'Date: 2026-11-15. Status: accepted.' }))
  assert.deepEqual(
    records.filter(isUndated).map(({ path }) => path),
    [],
  )
})

test('the index of decision records names each once, by its number and title', () => {
  const index = documents.find(({ path }) => path === INDEX)?.text ?? ''
  const listed = [...index.matchAll(/^- \[(.+)\]\((\S+)\)$/gm)].map(([, title, file]) => `${file} ${title}`)
  const present = records.map(({ path, text }) => `${basename(path)} ${/^# (.+)$/m.exec(text)?.[1]}`)
  assert.deepEqual(listed.toSorted(), present.toSorted())
})
