import { readGuides, type DocsPage } from './guides.ts'
import { anchorOf, escape } from './markdown.ts'
import { writePage } from './page.ts'

const MOST_LETTERS = 100
const MOST_WORDS = 8
const MOST_FOUND = 30
const EXCERPT = 180

/** A part of a guide under a heading of its own. */
type Section = { guide: DocsPage; heading: string; text: string }

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
  return writePage({
    title: 'Search',
    body: `<h1 id="search">Search the guides</h1>\n${list}`,
    query: escape(query),
  })
}

function sectionsOf(guide: DocsPage): Section[] {
  return guide.text.split(/^(?=#{1,3} )/m).map(part => {
    const [first = '', ...lines] = part.split('\n')
    return { guide, heading: first.replace(/^#+ /, ''), text: lines.join('\n') }
  })
}

function writeFound({ guide, heading, text }: Section, word: string): string {
  const line =
    text.split('\n').find(one => one.toLowerCase().includes(word)) ?? text.trim().split('\n')[0] ?? ''
  const place = heading === guide.title ? guide.title : `${guide.title}: ${heading}`
  const address = `${guide.address}#${anchorOf(heading)}`
  return `<a href="${address}">${escape(place.replaceAll('`', ''))}</a><br>${escape(line.slice(0, EXCERPT))}`
}
