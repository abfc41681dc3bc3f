import type { ReactNode } from 'react'
import { useMay } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'

/** A form whose address was sent to somebody who may only look says so before it is filled in. */
export function MakersOnly({ title, children }: { title: string; children: ReactNode }) {
  const mayMake = useMay('owner', 'finance')
  return (
    <PageFrame title={title}>
      {mayMake ? (
        children
      ) : (
        <Empty
          title="For owners and finance"
          say="Your role lets you look at orders, links and pages. Ask an owner of the institute if you are to make them."
        />
      )}
    </PageFrame>
  )
}
