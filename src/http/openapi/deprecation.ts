import { DAY_MS } from '../../platform/calendar.ts'

/** An operation, or a field of it, that the next version of the API does without. Days are of UTC: `2027-04-01`. */
export type Deprecation = {
  /** Absent: the whole operation. */
  field?: string
  since: string
  /** Served at least until then. */
  sunset: string
  /** What to do instead: "Read `data.status`." */
  instead: string
}

const GUIDE = '/docs/guides/versions'
const SHORTEST_DAYS = 365

/** The headers that all answers of the operation carry: RFC 9745 and RFC 8594. */
export function deprecationHeaders({ since, sunset }: Deprecation): Record<string, string> {
  const [from, until] = [Date.parse(since), Date.parse(sunset)]
  if (!(until - from >= SHORTEST_DAYS * DAY_MS))
    throw new Error(`what is deprecated on ${since} is served for a year at least, not until ${sunset}`)
  return {
    deprecation: `@${from / 1000}`,
    sunset: new Date(until).toUTCString(),
    link: `<${GUIDE}>; rel="deprecation"; type="text/html"`,
  }
}

/** What the document says of it. */
export function documentDeprecation(deprecation: Deprecation, description: string): Record<string, unknown> {
  const { field, since, sunset, instead } = deprecation
  const what = field === undefined ? 'Deprecated' : `\`${field}\` is deprecated`
  return {
    description: `${description}\n\n${what} since ${since}, served at least until ${sunset}. ${instead}`,
    ...(field === undefined ? { deprecated: true } : {}),
    'x-deprecation': deprecation,
  }
}
