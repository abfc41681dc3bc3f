import { Link, useParams, type LinkProps } from '@tanstack/react-router'
import { keptSearch } from '../table/use-filters.ts'

export type Crumb = {
  label: string
  to: NonNullable<LinkProps['to']>
  search?: Record<string, string>
}

/** The pages above this one, the topmost first; a list is as it was left, with its filters. */
export function Crumbs({ trail }: { trail: readonly Crumb[] }) {
  const params: Record<string, string | undefined> = useParams({ strict: false })
  return (
    <nav aria-label="Breadcrumb" className="crumbs">
      <ol>
        {trail.map(({ label, to, search }) => (
          <li key={label}>
            <Link to={to} params={true} search={search ?? keptSearch(addressOf(to, params)) ?? {}}>
              {label}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function addressOf(to: string, params: Readonly<Record<string, string | undefined>>): string {
  return to.replaceAll(/\$(\w+)/g, (_, name: string) => params[name] ?? '')
}
