import {
  IconBuildingBank,
  IconCalendarRepeat,
  IconCashRegister,
  IconCode,
  IconCoinRupee,
  IconHome,
  IconLink,
  IconServerCog,
  IconSettings,
  IconUsers,
  type Icon,
} from '@tabler/icons-react'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { useMay, usePerson, useSession } from '../api/session.ts'

/** Nine entries at most; what is below one of them is found on its page. */
const ENTRIES = [
  { label: 'Home', icon: IconHome, to: '/i/$institute', isExact: true },
  { label: 'Students', icon: IconUsers, to: '/i/$institute/students', isExact: false },
  { label: 'Counter', icon: IconCashRegister, to: '/i/$institute/counter', isExact: false },
  { label: 'Orders & links', icon: IconLink, to: '/i/$institute/orders', isExact: false },
  { label: 'Flex', icon: IconCalendarRepeat, to: '/i/$institute/flex', isExact: false },
  { label: 'Loans', icon: IconBuildingBank, to: '/i/$institute/loans', isExact: false },
  { label: 'Money', icon: IconCoinRupee, to: '/i/$institute/money', isExact: false },
  { label: 'Developers', icon: IconCode, to: '/i/$institute/developers', isExact: false },
  { label: 'Settings', icon: IconSettings, to: '/i/$institute/settings', isExact: false },
] as const

/** Pages with an address of their own that belong to an entry. */
const BELONGS: readonly (readonly [place: string, label: string])[] = [
  ['reminders', 'Money'],
  ['approvals', 'Settings'],
]

/** A link says by itself, with aria-current, that one is there or below. */
export function Navigation() {
  const { institute: named } = useParams({ strict: false })
  const session = useSession()
  const isOperator = usePerson()?.is_operator === true
  const institute = named ?? session?.institutes?.[0]?.code
  const isCashier = useMay('cashier')
  const place = useLocation({ select: ({ pathname }) => pathname.split('/')[3] })
  const [, owner] = BELONGS.find(([own]) => own === place) ?? []
  return (
    <nav aria-label="Main" className="navigation">
      {institute !== undefined &&
        ENTRIES.filter(({ label }) => !isCashier || label === 'Counter').map(
          ({ label, icon, to, isExact }) => (
            <Link
              key={to}
              to={to}
              params={{ institute }}
              activeOptions={{ exact: isExact, includeSearch: false }}
              {...(label === owner ? { 'aria-current': 'page' as const } : {})}
            >
              <Mark icon={icon} />
              {label}
            </Link>
          ),
        )}
      {(session?.lenders ?? []).map(({ code, title }) => (
        <Link key={code} to="/l/$lender" params={{ lender: code }} activeOptions={{ includeSearch: false }}>
          <Mark icon={IconBuildingBank} />
          {title}
        </Link>
      ))}
      {isOperator && (
        <Link to="/operator" activeOptions={{ includeSearch: false }}>
          <Mark icon={IconServerCog} />
          Operator
        </Link>
      )}
    </nav>
  )
}

function Mark({ icon: Picture }: { icon: Icon }) {
  return <Picture size={20} stroke={1.6} aria-hidden />
}
