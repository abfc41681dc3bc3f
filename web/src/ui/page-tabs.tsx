import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'

export type PageTab<Here extends string = string> = {
  here: Here
  label: string
  /** Tabs that follow each other with the same one stand together under it. */
  group?: string
  to: NonNullable<LinkProps['to']>
  search?: Record<string, string>
}

/** The pages below one entry of the menu, of the same institute; filters stay behind, as they belong to a page. */
export function PageTabs<Here extends string>({
  label,
  tabs,
  here,
  isInPlace = false,
  children,
}: {
  label: string
  tabs: readonly PageTab<Here>[]
  here: Here | undefined
  /** The tabs stand below what is the same on all of them, so the page stays where it is scrolled to. */
  isInPlace?: boolean
  children?: ReactNode
}) {
  const nav = useRef<HTMLElement>(null)
  // Not all tabs fit on a phone, so the open one is scrolled into sight.
  useEffect(() => {
    const open = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current && open) {
      // Tabs stand in groups, so their own offset is not that from the beginning of the row.
      const left = open.getBoundingClientRect().left - nav.current.getBoundingClientRect().left
      nav.current.scrollLeft += left - (nav.current.clientWidth - open.offsetWidth) / 2
    }
  }, [here])
  const groups = [...Map.groupBy(tabs, tab => tab.group)]
  return (
    <nav className="page-tabs" aria-label={label} ref={nav}>
      {groups.map(([group, own]) =>
        group === undefined ? (
          own.map(tab => <Tab key={tab.here} tab={tab} here={here} isInPlace={isInPlace} />)
        ) : (
          <div key={group} className="tab-group" role="group" aria-label={group}>
            <span aria-hidden>{group}</span>
            {own.map(tab => (
              <Tab key={tab.here} tab={tab} here={here} isInPlace={isInPlace} />
            ))}
          </div>
        ),
      )}
      {children}
    </nav>
  )
}

function Tab({ tab, here, isInPlace }: { tab: PageTab; here: string | undefined; isInPlace: boolean }) {
  return (
    <Link
      to={tab.to}
      params={true}
      search={tab.search ?? {}}
      resetScroll={!isInPlace}
      // Otherwise the router takes the tab of the whole for one of each part.
      activeOptions={{ exact: true, includeSearch: tab.search !== undefined || isInPlace }}
      aria-current={tab.here === here ? 'page' : undefined}
    >
      {tab.label}
    </Link>
  )
}
