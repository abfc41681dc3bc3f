import { readGuides, type DocsPage } from './guides.ts'
import { anchorOf, escape } from './markdown.ts'
import { writePage } from './page.ts'

const MOST_LETTERS = 100
const MOST_WORDS = 8
const MOST_FOUND = 30
const EXCERPT = 180

/** A part of a guide under a heading of its own. */
export type Section = { guide: DocsPage; heading: string; text: string }

/** Answers the page of what was found in the guides. */
export async function searchGuides(asked: string): Promise<string> {
  const query = asked.trim().slice(0, MOST_LETTERS)
  const words = wordsOf(query)
  const found = await findSections(query)
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

/** The sections that have every word, those that have them in their heading first. */
export async function findSections(asked: string): Promise<Section[]> {
  const words = wordsOf(asked)
  const sections = words.length === 0 ? [] : (await readGuides()).flatMap(sectionsOf)
  const has = (text: string): boolean => words.every(word => text.toLowerCase().includes(word))
  return sections
    .filter(({ guide, heading, text }) => has(`${guide.title} ${heading} ${text}`))
    .toSorted((one, other) => Number(has(other.heading)) - Number(has(one.heading)))
    .slice(0, MOST_FOUND)
}

export function addressOf({ guide, heading }: Section): string {
  return `${guide.address}#${anchorOf(heading)}`
}

function wordsOf(asked: string): string[] {
  return asked.trim().slice(0, MOST_LETTERS).toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS)
}

function sectionsOf(guide: DocsPage): Section[] {
  return guide.text.split(/^(?=#{1,3} )/m).map(part => {
    const [first = '', ...lines] = part.split('\n')
    return { guide, heading: first.replace(/^#+ /, ''), text: lines.join('\n') }
  })
}

function writeFound(section: Section, word: string): string {
  const { guide, heading, text } = section
  const line =
    text.split('\n').find(one => one.toLowerCase().includes(word)) ?? text.trim().split('\n')[0] ?? ''
  const place = heading === guide.title ? guide.title : `${guide.title}: ${heading}`
  return `<a href="${addressOf(section)}">${escape(place.replaceAll('`', ''))}</a><br>${escape(line.slice(0, EXCERPT))}`
}
