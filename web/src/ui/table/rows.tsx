import { Checkbox } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { NEEDS_TITLE } from './frame.tsx'

export type Column<Row> = {
  key: string
  title: string
  /** What the exported file has, and what the cell shows unless `render` says otherwise. */
  text: (row: Row) => string
  render?: (row: Row) => ReactNode
  /** Right for numbers. */
  align?: 'right'
  /** What the API calls it in `sort`; absent where no order makes sense. */
  sort?: string
  /** Pressed once, the largest comes first: people look at such a column from the top. */
  isLargestFirst?: true
}

type Boxes = { boxes: ReadonlySet<string>; onBoxes: (boxes: ReadonlySet<string>) => void }

type Props<Row> = Boxes & {
  name: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  onOpen?: ((row: Row) => void) | undefined
  hasBoxes: boolean
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}

/**
 * One row is in the tab order; up and down move on from it, Enter opens it. On a phone a row is a list of what it says,
 * which is no table to a browser any more: the roles keep it one.
 */
export function Rows<Row>({
  name,
  columns,
  rows,
  rowId,
  onOpen,
  hasBoxes,
  boxes,
  onBoxes,
  sort,
  onSort,
}: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  // What a phone shows on the right of the first line.
  const figure = columns.findLast(
    ({ align, text }) => align === 'right' && rows.some(row => text(row).includes('₹')),
  )?.key
  const [active, setActive] = useState(0)
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    setActive(next)
    ;(body.current?.rows[next] as HTMLElement | undefined)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent, index: number, row: Row): void => {
    if (event.target !== event.currentTarget) return
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (target === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (target === undefined) onOpen?.(row)
    else moveTo(target)
  }
  return (
    <div className="table-frame">
      <table className="data-table stacks rows" role="table">
        <caption className="visually-hidden">{name}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {hasBoxes && <PickAll ids={rows.map(rowId)} boxes={boxes} onBoxes={onBoxes} />}
            {columns.map(column => (
              <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup">
          {rows.map((row, index) => (
            <tr
              key={rowId(row)}
              role="row"
              tabIndex={index === Math.min(active, rows.length - 1) ? 0 : -1}
              className={onOpen === undefined ? undefined : 'opens'}
              onFocus={() => setActive(index)}
              onKeyDown={event => onKeyDown(event, index, row)}
              onClick={() => onOpen?.(row)}
            >
              {hasBoxes && (
                <Pick id={rowId(row)} name={columns[0]?.text(row) ?? ''} boxes={boxes} onBoxes={onBoxes} />
              )}
              {columns.map(({ key, title, align, text, render }, no) => (
                <td
                  key={key}
                  role="cell"
                  data-title={title}
                  className={classesOf(text(row), { align, isLead: no === 0, isFigure: key === figure })}
                >
                  {render === undefined ? text(row) : render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function classesOf(
  text: string,
  { align, isLead, isFigure }: { align: 'right' | undefined; isLead: boolean; isFigure: boolean },
): string {
  const place = isLead ? 'lead' : isFigure ? 'figure' : NEEDS_TITLE.test(text) ? 'titled' : ''
  return `${align ?? ''} ${place} ${text === '' ? 'is-empty' : ''}`
}

/** Pressed again it turns round, and a third time the list has its own order again. */
function Heading<Row>({
  column: { title, align, sort: own, isLargestFirst },
  sort,
  onSort,
}: { column: Column<Row> } & Pick<Props<Row>, 'sort' | 'onSort'>) {
  if (own === undefined) {
    return (
      <th scope="col" role="columnheader" className={align}>
        {title}
      </th>
    )
  }
  const order = isLargestFirst ? [`-${own}`, own] : [own, `-${own}`]
  const at = order.indexOf(sort ?? '')
  const direction = at === -1 ? 'none' : sort === own ? 'ascending' : 'descending'
  const Arrow = direction === 'descending' ? IconArrowDown : IconArrowUp
  return (
    <th scope="col" role="columnheader" className={align} aria-sort={direction}>
      <button type="button" className="sorts" onClick={() => onSort(order[at + 1])}>
        {title}
        <Arrow size={14} stroke={2} className={`sort-${direction}`} aria-hidden />
      </button>
    </th>
  )
}

function PickAll({ ids, boxes, onBoxes }: Boxes & { ids: readonly string[] }) {
  return (
    <th scope="col" role="columnheader" className="pick">
      <Checkbox
        size="xs"
        aria-label={`Select all ${ids.length} shown`}
        checked={ids.every(id => boxes.has(id))}
        onChange={event => onBoxes(new Set(event.currentTarget.checked ? ids : []))}
      />
    </th>
  )
}

function Pick({ id, name, boxes, onBoxes }: Boxes & { id: string; name: string }) {
  return (
    <td role="cell" className="pick" aria-label="Select" onClick={event => event.stopPropagation()}>
      <Checkbox
        size="xs"
        aria-label={`Select ${name}`}
        checked={boxes.has(id)}
        onChange={() => onBoxes(boxes.symmetricDifference(new Set([id])))}
      />
    </td>
  )
}
