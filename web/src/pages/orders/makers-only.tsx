import type { ReactNode } from 'react'
import { useMay } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'

/** Tells people without the role before they fill in the form, in case they were sent its address. */
export function MakersOnly({ title, children }: { title: string; children: ReactNode }) {
  const mayMake = useMay('owner', 'finance')
  return (
    <PageFrame title={title}>
      {mayMake ? (
        children
      ) : (
        <Empty
          title="For owners and finance"
          description="Your role lets you look at orders, links and pages. Ask an owner of the institute if you need to create them."
        />
      )}
    </PageFrame>
  )
}
