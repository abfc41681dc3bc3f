import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import { counted, formatCount } from '../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { Stat } from './stat.tsx'

/** Webhooks and the ERP: the whole of it for a developer, for others only what fails. */
export function Technical({ home, isWhole = false }: { home: HomeAnswer; isWhole?: boolean }) {
  const { webhooks, erp } = home
  const ofWebhooks = webhookHealth(webhooks)
  const ofErp = erpHealth(erp)
  const isShown = ({ tone }: Verdict): boolean => isWhole || tone === 'bad' || tone === 'waiting'
  if (!isShown(ofWebhooks) && !isShown(ofErp)) return null
  return (
    <>
      <h2 className="section-title">{isWhole ? 'Webhooks and ERP' : 'What fails technically'}</h2>
      <div className="stats">
        {isShown(ofWebhooks) && (
          <Stat
            label="Webhooks"
            value={<Health {...ofWebhooks} />}
            note={webhookNote(webhooks)}
            to="/i/$institute/developers"
            search={{ view: 'webhooks' }}
          />
        )}
        {isShown(ofErp) && (
          <Stat
            label="ERP, last 24 hours"
            value={<Health {...ofErp} />}
            note={
              erp.is_configured
                ? `${formatCount(erp.found + erp.refused)} answers, ${formatCount(erp.unavailable)} failures`
                : 'Bursar asks no ERP'
            }
            to="/i/$institute/developers"
            search={{ view: 'erp' }}
          />
        )}
      </div>
    </>
  )
}

type Verdict = { tone: Tone; label: string }

function Health({ tone, label }: Verdict) {
  return <StatusBadge tone={tone}>{label}</StatusBadge>
}

function webhookHealth({ active, failing, disabled }: HomeAnswer['webhooks']): Verdict {
  if (failing > 0 || disabled > 0) return { tone: 'bad', label: 'Failing' }
  return active === 0 ? { tone: 'plain', label: 'None set up' } : { tone: 'good', label: 'OK' }
}

function webhookNote({ active, failing, disabled, given_up: givenUp }: HomeAnswer['webhooks']): string {
  const parts = [
    ...(failing > 0 ? [`${formatCount(failing)} of ${formatCount(active)} failing`] : []),
    ...(disabled > 0 ? [`${formatCount(disabled)} switched off`] : []),
    ...(givenUp > 0
      ? [
          `${givenUp >= 1_000 ? '1,000 or more deliveries' : counted(givenUp, 'delivery', 'deliveries')} given up`,
        ]
      : []),
  ]
  return parts.length > 0 ? parts.join(', ') : counted(active, 'subscription')
}

function erpHealth({ is_configured: isConfigured, found, refused, unavailable }: HomeAnswer['erp']): Verdict {
  if (!isConfigured) return { tone: 'plain', label: 'None set up' }
  if (unavailable > 0)
    return { tone: found + refused > unavailable ? 'waiting' : 'bad', label: 'Failing at times' }
  return found + refused === 0 ? { tone: 'plain', label: 'Not asked' } : { tone: 'good', label: 'OK' }
}
