import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useInstitute } from '../../api/session.ts'

/** Named by the order's id, or by what it is asked for. */
export function OrderLink({ id, children = id }: { id: string; children?: ReactNode }) {
  const { code: institute } = useInstitute()
  return (
    <Link className="mono" to="/i/$institute/orders/$order" params={{ institute, order: id }} search={{}}>
      {children}
    </Link>
  )
}
