/**
 * Where several installations, called cells, are one service, a proxy finds the cell of a request by a mark of its school.
 * Most addresses have the school's code in their path. Others get the mark as a parameter; it is a hint to the proxy and
 * opens nothing.
 */
const PARAMETER = 'at'

/** Marks what belongs to a cell and to no school: people who run it, accounts of the installation. */
export function markOfCell(name: string): string {
  return `@${name}`
}

/** The address as it stands in links; an installation by itself needs no mark. A school's mark stays right when it moves. */
export function markUrl(
  url: string,
  { cell }: { cell: string | null },
  instituteCode: string | null,
): string {
  if (cell === null) return url
  return `${url}${url.includes('?') ? '&' : '?'}${PARAMETER}=${instituteCode ?? markOfCell(cell)}`
}
