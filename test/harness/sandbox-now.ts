const WEEK_MS = 7 * 24 * 3_600_000
/** A Monday, at ten in India. */
const SOME_MONDAY = Date.parse('2026-01-05T10:00:00+05:30')
const OFFSET = 'BURSAR_TEST_CLOCK_OFFSET_MS'

/**
 * Sandboxes of tests begin at the same hour of the same day of the week, whenever they run: banks keep hours. Answers by
 * how much their clocks are ahead.
 */
export function chooseOffset(): number {
  const sinceMonday = (Date.now() - SOME_MONDAY) % WEEK_MS
  const offset = (WEEK_MS - sinceMonday) % WEEK_MS
  process.env[OFFSET] = String(offset)
  return offset
}

/** What a sandbox takes for now if its clock has not been moved. */
export function sandboxNow(): number {
  return Date.now() + Number(process.env[OFFSET])
}
