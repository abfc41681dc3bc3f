import { useSession } from '../api/session.ts'

/** Nobody should mistake sandbox money for real money, or the other way round. */
export function ModeBadge() {
  const mode = useSession()?.mode
  if (mode === undefined) return null
  return mode === 'sandbox' ? (
    <span className="mode mode-sandbox" title="No real money moves">
      SANDBOX
    </span>
  ) : (
    <span className="mode mode-live" title="Real money moves">
      LIVE
    </span>
  )
}
