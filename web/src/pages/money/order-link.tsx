import { Link } from '@tanstack/react-router'
import { useInstitute } from '../../api/session.ts'

export function OrderLink({ id }: { id: string }) {
  const { code: institute } = useInstitute()
  return (
    <Link className="mono" to="/i/$institute/orders/$order" params={{ institute, order: id }} search={{}}>
      {id}
    </Link>
  )
}
