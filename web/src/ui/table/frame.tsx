import { useEffect, useRef, type ReactNode } from 'react'

/**
 * A table wider than its place scrolls in its frame, so the frame must be reachable by keyboard. On a phone its rows stand
 * as lines with their titles, which are taken from its header.
 */
export function TableFrame({
  name,
  className = '',
  children,
}: {
  name: string
  className?: string
  children: ReactNode
}) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = frame
    if (current === null) return undefined
    const write = (): void => current.querySelectorAll<HTMLTableElement>('table').forEach(titleCells)
    const observer = new MutationObserver(write)
    observer.observe(current, { childList: true, subtree: true })
    write()
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={frame} className={`table-frame ${className}`} role="group" aria-label={name} tabIndex={0}>
      {children}
    </div>
  )
}

/** Writes titles where a table does not say them itself; and roles, because a table that is displayed as blocks loses its own. */
function titleCells(table: HTMLTableElement): void {
  if (table.getAttribute('role') === 'table' && table.dataset['titled'] === undefined) {
    if (table.classList.contains('rows')) for (const body of table.tBodies) [...body.rows].forEach(markCells)
    return
  }
  const titles = [...(table.tHead?.rows[0]?.cells ?? [])].map(cell => cell.textContent)
  if (titles.length === 0) return
  table.dataset['titled'] = ''
  table.classList.add('stacks')
  table.setAttribute('role', 'table')
  for (const part of [table.tHead, ...table.tBodies, table.tFoot]) part?.setAttribute('role', 'rowgroup')
  for (const row of table.rows) {
    row.setAttribute('role', 'row')
    let column = 0
    for (const cell of row.cells) {
      const isHeading = row.parentElement === table.tHead
      cell.setAttribute('role', isHeading ? 'columnheader' : cell.tagName === 'TH' ? 'rowheader' : 'cell')
      // A cell over several columns is a heading or the name of a sum, and has no title.
      if (!isHeading) cell.dataset['title'] = cell.colSpan > 1 ? '' : (titles[column] ?? '')
      if (!isHeading)
        cell.classList.toggle('is-empty', cell.textContent.trim() === '' && cell.children.length === 0)
      column += cell.colSpan
    }
    if (table.classList.contains('rows') && row.parentElement !== table.tHead) markCells(row)
  }
}

/** A phone leaves out the titles of what says by itself what it is: names, words, numbers of telephones. */
export const NEEDS_TITLE = /^(?![6-9]\d{9}$)[\d₹−-]/

/** Which cells of a row stand on its first line on a phone, and which need their title. */
function markCells(row: HTMLTableRowElement): void {
  const cells = [...row.cells]
  const figure = cells.findLast(cell => cell.classList.contains('right') && cell.textContent.includes('₹'))
  for (const [no, cell] of cells.entries()) {
    const isFirst = no === 0 || cell === figure
    cell.classList.toggle('lead', no === 0)
    cell.classList.toggle('figure', cell === figure && no > 0)
    cell.classList.toggle('titled', !isFirst && NEEDS_TITLE.test(cell.textContent.trim()))
  }
}
