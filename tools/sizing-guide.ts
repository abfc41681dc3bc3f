import { readFileSync, writeFileSync } from 'node:fs'
import type { Measured } from '../bench/cells/cells.ts'
import type { Recorded } from '../bench/cells/record.ts'

/**
 * Writes the part on cells of docs/operator/sizing.md from what `node bench/cells/record.ts` measured:
 * `node tools/sizing-guide.ts`. A test holds the page against it.
 */
const PAGE = new URL('../docs/operator/sizing.md', import.meta.url)
const MEASURED = new URL('../bench/cells/measured.json', import.meta.url)
const BEGIN = '<!-- From bench/cells/measured.json by `node tools/sizing-guide.ts`. -->'
const END = '<!-- As far as here. -->'

/** What the arithmetic takes for granted; each is said on the page. */
const CORES = 8
/** Of the time of all cores, so that a peak, a restart or a backup beside it does not show. */
const PLANNED_SHARE = 0.5
const READS_PER_PAYMENT = 20
const SHARE_OF_BUSIEST_HOUR = 0.1
const PAYMENTS_A_YEAR = 12
const BYTES_PER_PAYMENT = 10_000
const COUNTRIES = [
  { who: 'all private schools', schools: 340_000, students: 90_000_000 },
  { who: 'all schools', schools: 1_470_000, students: 248_000_000 },
]

export type CellCapacity = { paymentMs: number; perSecond: number; students: number; proxyMs: number }

/** What a cell of 8 cores carries. */
export function capacityOf({ payment, read }: Pick<Recorded, 'payment' | 'read'>): CellCapacity {
  const paymentMs = payment.behind.cellMs + READS_PER_PAYMENT * read.cellMs
  const proxyMs = payment.behind.proxyMs + READS_PER_PAYMENT * read.proxyMs
  const perSecond = (CORES * 1_000 * PLANNED_SHARE) / paymentMs
  return { paymentMs, proxyMs, perSecond, students: (perSecond * 3_600) / SHARE_OF_BUSIEST_HOUR }
}

export type CountryNeed = { perSecond: number; cells: number; gbPerCell: number; proxyCores: number }

export function needOf(students: number, { perSecond: each, proxyMs }: CellCapacity): CountryNeed {
  const perSecond = (students * SHARE_OF_BUSIEST_HOUR) / 3_600
  const cells = Math.ceil(perSecond / each)
  const gbPerCell = (students * PAYMENTS_A_YEAR * BYTES_PER_PAYMENT) / cells / 1e9
  return { perSecond, cells, gbPerCell, proxyCores: (perSecond * proxyMs) / 1_000 / PLANNED_SHARE }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const count = (value: number): string => Math.round(value).toLocaleString('en-US')
/** No more than two digits mean anything. */
const about = (value: number): string => count(Number(value.toPrecision(2)))

function rowOf(name: string, one: Measured): string {
  const { nodeMs, helpersMs, postgresMs, proxyMs, leastMs, mostMs } = one
  const cells = [name, ms(nodeMs + helpersMs), ms(postgresMs), ms(proxyMs), `${ms(leastMs)} to ${ms(mostMs)}`]
  return `| ${cells.join(' | ')} |`
}

function renderSection(recorded: Recorded): string {
  const { payment, ratio, read, rounds, machine, cores, measuredOn } = recorded
  const capacity = capacityOf(recorded)
  const countries = COUNTRIES.map(({ who, schools, students }) => {
    const { perSecond, cells, gbPerCell, proxyCores } = needOf(students, capacity)
    return `| ${who} | ${count(schools)} | ${count(students)} | ${about(students * PAYMENTS_A_YEAR)} | ${about(perSecond)} | **${cells}** | ${about(gbPerCell)} GB | ${Math.ceil(proxyCores)} |`
  })
  return `${BEGIN}

A payment by the hosted page with its order, webhook and receipt, until all of it was done, in CPU time: of two installations with a PostgreSQL each, paid at the same time, one was asked straight and the other through HAProxy, and then the other way
round. Medians of ${rounds} rounds of both; ${machine}, ${cores} cores, ${measuredOn} (\`node bench/cells/record.ts\`). The machine did other work at the same time: take the times for upper ends.

| | Bursar | PostgreSQL | HAProxy | Bursar and PostgreSQL, lowest and highest |
|---|---|---|---|---|
${[
  rowOf('an installation by itself', payment.straight),
  rowOf('a cell behind HAProxy', payment.behind),
  rowOf('reading an order, in a cell behind HAProxy', read),
].join('\n')}

Behind HAProxy Bursar and PostgreSQL spent **${ratio.median.toFixed(2)}** of what they spent without it: the median of the ${rounds} rounds' ratios, with 95 % certainty between ${ratio.from.toFixed(2)} and ${ratio.to.toFixed(2)}. HAProxy's time comes on top.

**A cell of ${CORES} cores**, Bursar's and PostgreSQL's together, half of them kept free: a payment with ${READS_PER_PAYMENT} reads costs ${ms(payment.behind.cellMs)} + ${READS_PER_PAYMENT} × ${read.cellMs.toFixed(2)} ms = ${ms(capacity.paymentMs)}, so it takes
${CORES} × 1000 × ${PLANNED_SHARE} / ${capacity.paymentMs.toFixed(1)} = **${about(capacity.perSecond)} payments a second**. With a tenth of a month's fees in the busiest hour those are ${about(capacity.students)} students who pay every month: ${about(capacity.students / 1_000)} schools of 1,000.

**The country.** Schools and students are rounded from the government's school census (UDISE+); every student pays ${PAYMENTS_A_YEAR} times a year, all schools have their busiest hour at once, and every fee is paid here, so these are upper ends:

| | Schools | Students | Payments a year | Payments a second in the busiest hour | Cells of ${CORES} cores | Disk of a cell after a year | Cores of HAProxy |
|---|---|---|---|---|---|---|---|
${countries.join('\n')}

${END}`
}

/** The page with its part on cells as it should be. */
export function sizingGuide(): string {
  const page = readFileSync(PAGE, 'utf8')
  const recorded = JSON.parse(readFileSync(MEASURED, 'utf8')) as Recorded
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from === -1 || to < from) throw new Error('sizing.md has no place for the part on cells')
  return page.slice(0, from) + renderSection(recorded) + page.slice(to + END.length)
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, sizingGuide())
