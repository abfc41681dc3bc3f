import type { ReactNode } from 'react'
import { TableFrame } from '../../ui/table/frame.tsx'
import './developers.css'

export type Heading = string | { title: string; align: 'right' }

/** A short table without filters. Its frame scrolls, so it must be reachable by keyboard. */
export function StaticTable({
  name,
  headings,
  children,
}: {
  name: string
  headings: readonly Heading[]
  children: ReactNode
}) {
  return (
    <TableFrame name={name} className="table-whole">
      <table className="data-table">
        <thead>
          <tr>
            {headings.map(heading => {
              const { title, align } =
                typeof heading === 'string' ? { title: heading, align: undefined } : heading
              return (
                <th key={title} scope="col" className={align}>
                  {title}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </TableFrame>
  )
}
