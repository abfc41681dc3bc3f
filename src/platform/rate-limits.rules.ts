import ipaddr from 'ipaddr.js'

/**
 * How often somebody may come or try, in one table. Limiters take their figures from it, the guide and ADR 55 show it, and a
 * test walks it: whoever uses a limit up closes nobody else's way in.
 */
export type Rate = { burst: number; perMinute: number }
/** Codes within a quarter of an hour; fewer once many of a day were not used. Nobody waits longer than that. */
export type Codes = { most: number; unusedADay?: number; mostThen?: number }
/** Failures without a wait; each further one is followed by a wait twice as long as the one before. */
export type Waits = { free: number; firstWaitMs: number; longestWaitMs: number; forgottenAfterMs: number }

export type Limit = { of: string; counts: string; spares: string } & (
  | { rate: Rate }
  | { codes: Codes }
  | { tries: number; minutes: number }
  | { waits: Waits }
)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const CODE_WINDOW_MINUTES = 15

/** Unused codes of an hour at which a school is under attack, and of a day at which a contact is. Their codes are longer then: nothing closes. */
export const ATTACK = { unusedAnHour: 300, unusedADay: 10 }

/** Mistakes of a person who mistypes; a program that goes on guessing gets four tries an hour. */
const FREE = 5

const KNOWN_BROWSER = 'a browser in which the family signed in before'
const KNOWN_POSTER = 'a browser that named this child before'
const KNOWN_DEVICE = 'a device on which the person signed in before; the reader of a code by mail'

export const LIMITS = {
  anonymous: {
    of: 'Requests without a key, session or signature, and with a wrong one (`PUBLIC_RATE`, `PUBLIC_BURST`)',
    counts: 'a network',
    spares: 'whoever proves a key, session or signature',
    rate: { burst: 500, perMinute: 50 * 60 },
  },
  apiKey: {
    of: 'Requests with an API key, unless the key has its own figures',
    counts: 'a key',
    spares: 'every other key',
    rate: { burst: 2_000, perMinute: 1_000 * 60 },
  },
  consoleSession: {
    of: 'Requests of somebody signed in to the console',
    counts: 'a session',
    spares: 'every other session',
    rate: { burst: 200, perMinute: 50 * 60 },
  },
  assistant: {
    of: 'Requests of an assistant',
    counts: 'a key or personal token',
    spares: 'every other key and token',
    rate: { burst: 100, perMinute: 300 },
  },
  paymentForms: {
    of: 'Forms of public payment pages, of printed codes and of the poster',
    counts: 'a network',
    spares: 'every other network',
    rate: { burst: 60, perMinute: 12 },
  },
  familyNetwork: {
    of: 'Codes that families ask for, whatever the number or address',
    counts: 'a network',
    spares: KNOWN_BROWSER,
    rate: { burst: 40, perMinute: 6 },
  },
  familyContactAtNetwork: {
    of: 'Codes for one number or address, known or not',
    counts: 'a network',
    spares: `${KNOWN_BROWSER}; every other network`,
    codes: { most: 3, unusedADay: 10, mostThen: 1 },
  },
  familyContact: {
    of: 'Codes for one number or address, known or not',
    counts: 'all networks together',
    spares: KNOWN_BROWSER,
    codes: { most: 6 },
  },
  familyUnderAttack: {
    of: `Codes that were not used, at a school where strangers left ${ATTACK.unusedAnHour} of the last hour unused`,
    counts: 'a network',
    spares: `${KNOWN_BROWSER}; every other network`,
    codes: { most: 10 },
  },
  familyBrowser: {
    of: 'Codes in a browser in which the family signed in before',
    counts: 'the browser',
    spares: 'everybody else',
    codes: { most: 3, unusedADay: 10, mostThen: 1 },
  },
  familyCode: {
    of: 'Tries of one code',
    counts: 'the code, in the browser that asked for it',
    spares: 'every other code',
    tries: 5,
    minutes: 10,
  },
  posterChildAtNetwork: {
    of: 'Facts about one child on the page of the poster, known or not',
    counts: 'a network',
    spares: `${KNOWN_POSTER}; every other network`,
    waits: { free: FREE, firstWaitMs: MINUTE_MS, longestWaitMs: HOUR_MS, forgottenAfterMs: DAY_MS },
  },
  posterChild: {
    of: `Facts about one child on the page of the poster, the first ${FREE} of each network`,
    counts: 'all networks together',
    spares: `${KNOWN_POSTER}; every other child`,
    waits: { free: 20, firstWaitMs: 15 * MINUTE_MS, longestWaitMs: DAY_MS / 2, forgottenAfterMs: 7 * DAY_MS },
  },
  posterNetwork: {
    of: 'Facts about children on the page of the poster, whatever the child',
    counts: 'a network',
    spares: `${KNOWN_POSTER}; every other network`,
    waits: {
      free: 30,
      firstWaitMs: MINUTE_MS,
      longestWaitMs: 15 * MINUTE_MS,
      forgottenAfterMs: HOUR_MS,
    },
  },
  posterBrowser: {
    of: 'Facts about a child in a browser that named this child before',
    counts: 'the browser',
    spares: 'everybody else',
    waits: { free: FREE, firstWaitMs: MINUTE_MS, longestWaitMs: HOUR_MS, forgottenAfterMs: DAY_MS },
  },
  billIdentifier: {
    of: 'Dates of birth or phone numbers that apps of Bharat Connect send with one admission number',
    counts: 'all apps together',
    spares: 'every other admission number; every other way to pay',
    waits: { free: 10, firstWaitMs: 15 * MINUTE_MS, longestWaitMs: DAY_MS / 2, forgottenAfterMs: 7 * DAY_MS },
  },
  staffAccountAtNetwork: {
    of: 'Passwords and codes for one e-mail address of the console',
    counts: 'a network',
    spares: `${KNOWN_DEVICE}; every other network`,
    waits: {
      free: FREE,
      firstWaitMs: MINUTE_MS / 2,
      longestWaitMs: 15 * MINUTE_MS,
      forgottenAfterMs: DAY_MS,
    },
  },
  staffAccount: {
    of: `Passwords and codes for one e-mail address of the console, the first ${FREE} of each network`,
    counts: 'all networks together',
    spares: KNOWN_DEVICE,
    waits: {
      free: 30,
      firstWaitMs: MINUTE_MS,
      longestWaitMs: 15 * MINUTE_MS,
      forgottenAfterMs: DAY_MS,
    },
  },
  staffNetwork: {
    of: 'Passwords and codes for the console, whatever the e-mail address',
    counts: 'a network',
    spares: `${KNOWN_DEVICE}; every other network`,
    waits: {
      free: 30,
      firstWaitMs: MINUTE_MS,
      longestWaitMs: 15 * MINUTE_MS,
      forgottenAfterMs: HOUR_MS,
    },
  },
  staffKnown: {
    of: 'Passwords and codes of somebody known: on their device, with a code by mail, or signed in',
    counts: 'the device, the code or the session',
    spares: 'everybody else',
    waits: {
      free: FREE,
      firstWaitMs: MINUTE_MS / 2,
      longestWaitMs: 15 * MINUTE_MS,
      forgottenAfterMs: DAY_MS,
    },
  },
  staffMail: {
    of: 'Links for a new password and codes by mail for the console',
    counts: 'a network, or a device on which the person signed in before',
    spares: 'every other network; that device',
    waits: {
      free: 30,
      firstWaitMs: MINUTE_MS,
      longestWaitMs: 15 * MINUTE_MS,
      forgottenAfterMs: HOUR_MS,
    },
  },
  staffPasskeys: {
    of: 'Starts of a sign-in with a passkey alone',
    counts: 'a network',
    spares: 'a device on which somebody signed in before; every other network',
    rate: { burst: 60, perMinute: 12 },
  },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

/** Describes the limit for people. */
export function describeLimit(limit: Limit): string {
  if ('rate' in limit) {
    const { burst, perMinute } = limit.rate
    return `${figure(burst)} at once, then ${perMinute >= 60 ? `${figure(perMinute / 60)} a second` : `${perMinute} a minute`}`
  }
  if ('codes' in limit) {
    const { most, unusedADay, mostThen } = limit.codes
    const slower =
      unusedADay === undefined ? '' : `; ${mostThen} after ${unusedADay} of a day that were not used`
    return `${most} in ${CODE_WINDOW_MINUTES} minutes${slower}`
  }
  if ('tries' in limit) return `${limit.tries} in ${limit.minutes} minutes`
  const { free, firstWaitMs, longestWaitMs, forgottenAfterMs } = limit.waits
  return `${free}, then a wait of ${span(firstWaitMs)} that doubles up to ${span(longestWaitMs)}; forgotten after ${span(forgottenAfterMs)}`
}

/** The table of the guide and of ADR 55. */
export function limitsTable(): string {
  const rows = Object.values<Limit>(LIMITS).map(
    limit => `| ${limit.of} | ${limit.counts} | ${describeLimit(limit)} | ${limit.spares} |`,
  )
  return ['| What | Counted is | At most | Never held up by it |', '|---|---|---|---|', ...rows].join('\n')
}

const figure = (count: number): string => count.toLocaleString('en-IN')

function span(ms: number): string {
  if (ms < MINUTE_MS) return `${ms / 1_000} seconds`
  if (ms < HOUR_MS) return ms === MINUTE_MS ? 'a minute' : `${ms / MINUTE_MS} minutes`
  if (ms < DAY_MS) return ms === HOUR_MS ? 'an hour' : `${ms / HOUR_MS} hours`
  return ms === DAY_MS ? 'a day' : `${ms / DAY_MS} days`
}

/** Who counts as one stranger: an address, or of IPv6 the /64 that a household has to itself. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

export type Tries = { failures: number; lastAt: Date; blockedUntil: Date | null }
export type Admission = { kind: 'blocked'; until: Date } | { kind: 'counted'; tries: Tries }

/**
 * A try counts as failed before it is looked at, so that many at once are not all looked at; success takes it back. Each
 * one past the free ones is followed by a wait twice as long as the one before.
 */
export function admitTry(before: Tries | null, now: Date, limit: Waits): Admission {
  const until = before?.blockedUntil ?? null
  if (until !== null && until > now) return { kind: 'blocked', until }
  const isForgotten = before === null || now.getTime() - before.lastAt.getTime() >= limit.forgottenAfterMs
  const failures = (isForgotten ? 0 : before.failures) + 1
  return { kind: 'counted', tries: { failures, lastAt: now, blockedUntil: blockAfter(failures, now, limit) } }
}

/** Undoes the count of the last try. */
export function uncount(tries: Tries, limit: Waits): Tries {
  const failures = Math.max(0, tries.failures - 1)
  return { ...tries, failures, blockedUntil: blockAfter(failures, tries.lastAt, limit) }
}

function blockAfter(failures: number, at: Date, limit: Waits): Date | null {
  if (failures < limit.free) return null
  const waitMs = Math.min(limit.firstWaitMs * 2 ** (failures - limit.free), limit.longestWaitMs)
  return new Date(at.getTime() + waitMs)
}
