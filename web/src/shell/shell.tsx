import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMay, usePerson } from '../api/session.ts'
import { AccountMenu } from './account-menu.tsx'
import { useDensity } from './appearance.tsx'
import { InstituteMenu } from './institute-menu.tsx'
import { Keys } from './keys.tsx'
import { ModeBadge } from './mode-badge.tsx'
import { Navigation } from './navigation.tsx'
import { SearchField } from './search/field.tsx'

/** Whether there is room for the navigation (sm) or the search (md): what is not shown is not made either. */
function useIsWide(from: '48em' | '62em'): boolean {
  return useMediaQuery(`(min-width: ${from})`, false, { getInitialValueInEffect: false })
}

/** The frame of every page: navigation, institute, mode and search. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  useDensity()
  const { pathname } = useLocation()
  useEffect(close, [pathname, close])
  const isMissingFactor = usePerson()?.is_missing_factor === true
  const navigate = useNavigate()
  // The rule may have come while somebody worked here.
  useEffect(() => {
    if (isMissingFactor) void navigate({ to: '/second-factor' })
  }, [isMissingFactor, navigate])
  const hasNavigation = useIsWide('48em') || isOpen
  const isWide = useIsWide('62em')
  // Somebody who only takes money finds families at the counter.
  const maySearch = !useMay('cashier')
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <AppShell.Header className="shell-header">
        <Group h="100%" px={{ base: 'xs', sm: 'md' }} gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
          />
          <span className="brand">Bursar</span>
          <InstituteMenu />
          <ModeBadge />
          {maySearch && isWide && <SearchField />}
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className="shell-navbar">
        {maySearch && hasNavigation && !isWide && <SearchField />}
        {hasNavigation && <Navigation />}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      {maySearch && <Keys />}
    </AppShell>
  )
}
