import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { useInstitute } from '../../api/session.ts'

type Steps = NonNullable<HomeAnswer['first_steps']>

const STEPS = [
  {
    key: 'has_school',
    title: 'Your school',
    text: 'Its address and logo, for receipts and pages',
    to: '/i/$institute/settings/school',
  },
  {
    key: 'has_fees',
    title: 'Classes and fees',
    text: 'What each class pays, and by when',
    to: '/i/$institute/students/fees',
  },
  {
    key: 'has_students',
    title: 'Students',
    text: 'From a list of yours, or one by one',
    to: '/i/$institute/students/import',
  },
  {
    key: 'has_account',
    title: 'Payment account',
    text: 'Where UPI and cards are paid into',
    to: '/i/$institute/settings/accounts',
  },
  {
    key: 'has_link',
    title: 'First payment link',
    text: 'Send one to yourself and pay a rupee',
    to: '/i/$institute/orders/new',
  },
  {
    key: 'has_colleague',
    title: 'A colleague',
    text: 'Invite the office, each with a role',
    to: '/i/$institute/settings/team',
  },
] as const satisfies readonly { key: keyof Steps; title: string; text: string; to: string }[]

/** What a school that has not collected anything does first, each a click away. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const { code: institute } = useInstitute()
  const done = STEPS.filter(({ key }) => steps[key]).length
  return (
    <section className="first-steps" aria-label="First steps">
      <div className="first-steps-head">
        <h2>First steps</h2>
        <span className="faint">
          {done} of {STEPS.length} done
        </span>
      </div>
      <div className="year-bar" aria-hidden>
        <span className="year-in" style={{ width: `${(done / STEPS.length) * 100}%` }} />
      </div>
      <ol>
        {STEPS.map(({ key, title, text, to }) => (
          <li key={key} className={steps[key] ? 'done' : undefined}>
            <Link to={to} params={{ institute }}>
              {steps[key] ? (
                <IconCircleCheckFilled size={24} aria-hidden />
              ) : (
                <IconCircle size={24} stroke={1.6} aria-hidden />
              )}
              <span>
                <strong>{title}</strong>
                {steps[key] && <span className="visually-hidden"> (done)</span>}
                <span className="faint">{text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
