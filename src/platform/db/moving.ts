/**
 * A condition: jobs may work on rows of this school. Those of one that is arriving from another cell are worked on there
 * until it has arrived, and one that is about to leave is left alone, so that nothing is cut off in the middle.
 */
export function isHere(column = 'institute_id'): string {
  return `${column} not in (select school_id from moving_schools where held_until > clock_timestamp())`
}
