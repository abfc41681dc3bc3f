import { useLocalStorage } from '@mantine/hooks'
import { useMay } from '../api/session.ts'

/**
 * Whether ids and the data behind the page are shown: chosen by each person in the account's menu and kept by the browser;
 * at first by developers alone.
 */
export function useTechnical(): readonly [isShown: boolean, choose: (isShown: boolean) => void] {
  const isDeveloper = useMay('developer', 'operator')
  const [chosen, choose] = useLocalStorage<boolean | null>({
    key: 'bursar.technical',
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  return [chosen ?? isDeveloper, choose]
}
