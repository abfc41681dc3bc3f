import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { whenRefused, whenSignedOut } from './api/client.ts'
import { queryClient } from './api/query-client.ts'
import { sessionQuery } from './api/session.ts'
import { FailedPage, LoadingPage, NotFoundPage } from './ui/states.tsx'

/** All pages with their addresses; each is loaded on demand. */
const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ({ error }) => <FailedPage error={error} />,
  validateSearch: (search): Record<string, string> => search as Record<string, string>,
})

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  async beforeLoad() {
    const session = await queryClient.ensureQueryData(sessionQuery)
    const [first] = session.institutes ?? []
    if (!session.signed_in) throw redirect({ to: '/sign-in' })
    if (session.person?.is_missing_factor === true) throw redirect({ to: '/second-factor' })
    const [desk] = session.lenders ?? []
    if (first === undefined && desk !== undefined)
      throw redirect({ to: '/l/$lender', params: { lender: desk.code } })
    if (first === undefined) throw redirect({ to: '/account' })
    throw redirect({ to: '/i/$institute', params: { institute: lastInstitute(session.institutes) } })
  },
})

const LAST_INSTITUTE = 'bursar.institute'

/** Where the person was last, if they may still go there. */
function lastInstitute(institutes: readonly { code: string }[] = []): string {
  const last = sessionStorage.getItem(LAST_INSTITUTE)
  return institutes.find(({ code }) => code === last)?.code ?? institutes[0]?.code ?? ''
}

function openPage<const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module,
) {
  return createRoute({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(load, name) })
}

/** Pages inside the shell redirect to sign-in and back. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  async beforeLoad({ location }) {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (!session.signed_in) throw redirect({ to: '/sign-in', search: { next: location.href } })
    if (session.person?.is_missing_factor === true)
      throw redirect({ to: '/second-factor', search: { next: location.href } })
  },
})

/** Pending and error states of a page inside the shell. */
const inside = {
  pendingComponent: () => <LoadingPage isInside />,
  errorComponent: ({ error }: { error: unknown }) => <FailedPage error={error} isInside />,
}

function page<const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module,
) {
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    component: lazyRouteComponent(load, name),
    ...inside,
  })
}

const instituteRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/i/$institute',
  component: Outlet,
  ...inside,
  async beforeLoad({ params }) {
    const { institutes = [], person } = await queryClient.ensureQueryData(sessionQuery)
    const isOwn = institutes.some(({ code }) => code === params.institute)
    // An officer of a lender, say: a page that is not there, and not a frame whose parts all fail.
    if (!isOwn && person?.is_operator !== true) throw notFound()
    sessionStorage.setItem(LAST_INSTITUTE, params.institute)
  },
})

type Entered = { cause: string; search: Record<string, string>; location: { pathname: string } }

function institutePage<const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module,
  beforeLoad: (at: Entered) => Promise<void> = async () => {},
) {
  return createRoute({
    getParentRoute: () => instituteRoute,
    path,
    component: lazyRouteComponent(load, name),
    beforeLoad: at => beforeLoad(at),
    ...inside,
  })
}

/** Links with filters lead where they say. */
async function openWithYear({ cause, search, location: { pathname } }: Entered): Promise<void> {
  if (cause !== 'enter' || Object.keys(search).length > 0) return
  const { firstView } = await import('./pages/students/first-view.ts')
  const [, , institute = ''] = pathname.split('/')
  const first = await firstView(institute)
  if (Object.keys(first).length > 0)
    throw redirect({ to: '/i/$institute/students', params: { institute }, search: first, replace: true })
}

const routeTree = rootRoute.addChildren([
  indexRoute,
  openPage('/sign-in', () => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  openPage('/forgot', () => import('./pages/sign-in/forgot-page.tsx'), 'ForgotPage'),
  openPage('/second-factor', () => import('./pages/sign-in/second-factor-page.tsx'), 'SecondFactorPage'),
  openPage('/join/$token', () => import('./pages/sign-in/join-page.tsx'), 'JoinPage'),
  shellRoute.addChildren([
    page('/account', () => import('./pages/account/account-page.tsx'), 'AccountPage'),
    page('/l/$lender', () => import('./pages/lender/applications-page.tsx'), 'ApplicationsPage'),
    page('/l/$lender/$application', () => import('./pages/lender/application-page.tsx'), 'ApplicationPage'),
    page('/operator', () => import('./pages/operator/operator-page.tsx'), 'OperatorPage'),
    page('/operator/institutes', () => import('./pages/operator/institutes-page.tsx'), 'InstitutesPage'),
    page('/operator/jobs', () => import('./pages/operator/jobs-page.tsx'), 'JobsPage'),
    page('/operator/health', () => import('./pages/operator/health-page.tsx'), 'HealthPage'),
    page('/operator/doctor', () => import('./pages/operator/doctor-page.tsx'), 'DoctorPage'),
    page('/operator/holidays', () => import('./pages/operator/holidays-page.tsx'), 'HolidaysPage'),
    page('/operator/providers', () => import('./pages/operator/providers-page.tsx'), 'ProvidersPage'),
    page('/operator/sign-in', () => import('./pages/operator/sign-in-page.tsx'), 'OperatorSignInPage'),
    page('/operator/audit', () => import('./pages/operator/operator-audit-page.tsx'), 'OperatorAuditPage'),
    instituteRoute.addChildren([
      institutePage('/', () => import('./pages/home/home-page.tsx'), 'HomePage'),
      institutePage(
        '/students',
        () => import('./pages/students/students-page.tsx'),
        'StudentsPage',
        openWithYear,
      ),
      institutePage(
        '/students/rollover',
        () => import('./pages/students/rollover/rollover-page.tsx'),
        'RolloverPage',
      ),
      institutePage(
        '/students/rollover/$rollover',
        () => import('./pages/students/rollover/run-page.tsx'),
        'RolloverRunPage',
      ),
      institutePage('/students/leavers', () => import('./pages/students/leavers-page.tsx'), 'LeaversPage'),
      institutePage('/students/new', () => import('./pages/students/add/add-page.tsx'), 'AddStudentPage'),
      institutePage('/students/fees', () => import('./pages/students/fees/fees-page.tsx'), 'FeesPage'),
      institutePage(
        '/students/optional-fees',
        () => import('./pages/students/optional/fees-page.tsx'),
        'OptionalFeesPage',
      ),
      institutePage(
        '/students/optional-fees/$fee',
        () => import('./pages/students/optional/fee-page.tsx'),
        'OptionalFeePage',
      ),
      institutePage(
        '/students/import',
        () => import('./pages/students/import/import-page.tsx'),
        'ImportPage',
      ),
      institutePage(
        '/students/import/$file',
        () => import('./pages/students/import/file-page.tsx'),
        'ImportFilePage',
      ),
      institutePage('/students/$student', () => import('./pages/students/student-page.tsx'), 'StudentPage'),
      institutePage('/counter', () => import('./pages/counter/counter-page.tsx'), 'CounterPage'),
      institutePage('/orders', () => import('./pages/orders/orders-page.tsx'), 'OrdersPage'),
      institutePage('/orders/new', () => import('./pages/orders/order/new-order-page.tsx'), 'NewOrderPage'),
      institutePage('/orders/pages', () => import('./pages/orders/payment-pages/list-page.tsx'), 'PagesPage'),
      institutePage(
        '/orders/pages/new',
        () => import('./pages/orders/payment-pages/edit-page.tsx'),
        'NewPagePage',
      ),
      institutePage(
        '/orders/pages/$page',
        () => import('./pages/orders/payment-pages/detail-page.tsx'),
        'PagePage',
      ),
      institutePage(
        '/orders/pages/$page/edit',
        () => import('./pages/orders/payment-pages/edit-page.tsx'),
        'EditPagePage',
      ),
      institutePage('/orders/files', () => import('./pages/orders/files/files-page.tsx'), 'FilesPage'),
      institutePage('/orders/files/$file', () => import('./pages/orders/files/file-page.tsx'), 'FilePage'),
      institutePage('/orders/$order', () => import('./pages/orders/order/order-page.tsx'), 'OrderPage'),
      institutePage('/flex', () => import('./pages/flex/flex-page.tsx'), 'FlexPage'),
      institutePage('/flex/days/$day', () => import('./pages/flex/day-page.tsx'), 'FlexDayPage'),
      institutePage('/flex/debits', () => import('./pages/flex/debits-page.tsx'), 'FlexDebitsPage'),
      institutePage('/flex/coming', () => import('./pages/flex/coming-page.tsx'), 'FlexComingPage'),
      institutePage('/flex/returns', () => import('./pages/flex/returns-page.tsx'), 'FlexReturnsPage'),
      institutePage('/flex/plans', () => import('./pages/flex/plans-page.tsx'), 'FlexPlansPage'),
      institutePage('/flex/plans/$plan', () => import('./pages/flex/plan/plan-page.tsx'), 'FlexPlanPage'),
      institutePage('/flex/erp', () => import('./pages/flex/erp-page.tsx'), 'FlexErpPage'),
      institutePage('/flex/settings', () => import('./pages/flex/settings-page.tsx'), 'FlexSettingsPage'),
      institutePage('/loans', () => import('./pages/loans/loans-page.tsx'), 'LoansPage'),
      institutePage('/loans/$loan', () => import('./pages/loans/loan-page.tsx'), 'LoanPage'),
      institutePage('/reminders/new', () => import('./pages/reminders/compose-page.tsx'), 'ComposePage'),
      institutePage('/reminders/$run', () => import('./pages/reminders/run-page.tsx'), 'RunPage'),
      institutePage('/money', () => import('./pages/money/money-page.tsx'), 'MoneyPage'),
      institutePage(
        '/money/settlements/$settlement',
        () => import('./pages/money/settlements/settlement-page.tsx'),
        'SettlementPage',
      ),
      institutePage('/assistants', () => import('./pages/assistants/assistants-page.tsx'), 'AssistantsPage'),
      institutePage('/developers', () => import('./pages/developers/developers-page.tsx'), 'DevelopersPage'),
      institutePage('/developers/keys', () => import('./pages/developers/keys/keys-page.tsx'), 'KeysPage'),
      institutePage(
        '/developers/webhooks',
        () => import('./pages/developers/webhooks/webhooks-page.tsx'),
        'WebhooksPage',
      ),
      institutePage(
        '/developers/deliveries',
        () => import('./pages/developers/webhooks/deliveries-page.tsx'),
        'DeliveriesPage',
      ),
      institutePage('/developers/events', () => import('./pages/developers/events-page.tsx'), 'EventsPage'),
      institutePage(
        '/developers/requests',
        () => import('./pages/developers/requests-page.tsx'),
        'RequestsPage',
      ),
      institutePage('/developers/erp', () => import('./pages/developers/erp/erp-page.tsx'), 'ErpPage'),
      institutePage(
        '/developers/integration-check',
        () => import('./pages/developers/integration-check/integration-check-page.tsx'),
        'IntegrationCheckPage',
      ),
      institutePage(
        '/developers/sandbox',
        () => import('./pages/developers/sandbox/sandbox-page.tsx'),
        'SandboxPage',
      ),
      institutePage('/settings', () => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
      institutePage('/settings/school', () => import('./pages/settings/school-page.tsx'), 'SchoolPage'),
      institutePage('/settings/families', () => import('./pages/settings/families-page.tsx'), 'FamiliesPage'),
      institutePage('/settings/team', () => import('./pages/settings/team-page.tsx'), 'TeamPage'),
      institutePage(
        '/settings/payments',
        () => import('./pages/settings/payment-rules-page.tsx'),
        'PaymentRulesPage',
      ),
      institutePage(
        '/settings/accounts',
        () => import('./pages/settings/accounts/accounts-page.tsx'),
        'AccountsPage',
      ),
      institutePage(
        '/settings/bharat-connect',
        () => import('./pages/settings/bharat-connect-page.tsx'),
        'BharatConnectPage',
      ),
      institutePage('/settings/loans', () => import('./pages/settings/lender-page.tsx'), 'LenderPage'),
      institutePage('/approvals', () => import('./pages/approvals/approvals-page.tsx'), 'ApprovalsPage'),
      institutePage('/settings/audit', () => import('./pages/settings/audit-page.tsx'), 'AuditPage'),
    ]),
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: '/console',
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPendingComponent: () => <LoadingPage />,
  defaultErrorComponent: ({ error }) => <FailedPage error={error} />,
  // Filters are texts: no value of an address is taken for a number or a flag.
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search) {
    const sent = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(sent.map(([key, value]) => [key, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
})

whenSignedOut(() => {
  const { href } = router.state.location
  queryClient.clear()
  void router.navigate({ to: '/sign-in', search: { next: href } })
})

// A rule that asks for a second factor may have come while somebody worked: the session says so, and the frame leads on.
whenRefused(() => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }))

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
