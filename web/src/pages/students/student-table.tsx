import type { ReactNode } from 'react'
import { TableFrame } from '../../ui/table/frame.tsx'

export function StudentTable({ name, children }: { name: string; children: ReactNode }) {
  return (
    <TableFrame name={name} className="student-table">
      <table className="data-table rows">
        <caption className="visually-hidden">{name}</caption>
        {children}
      </table>
    </TableFrame>
  )
}
