import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useEffect } from 'react'
import { useTechnical } from '../ui/technical.ts'

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const DENSITIES = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'dense', label: 'Dense' },
]
const TECHNICAL = [
  { value: 'hidden', label: 'Hidden' },
  { value: 'shown', label: 'Shown' },
]

/** How close the rows of tables stand, as somebody chose it in this browser. */
export function useDensity(): readonly [density: string, choose: (density: string) => void] {
  const [density, choose] = useLocalStorage({
    key: 'bursar.density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  })
  useEffect(() => {
    document.documentElement.dataset['density'] = density
  }, [density])
  return [density, choose]
}

/** Light or dark, how close rows stand, whether ids are shown: each person's choice, kept by the browser. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [density, chooseDensity] = useDensity()
  const [isTechnical, chooseTechnical] = useTechnical()
  return (
    <div className="appearance">
      <span id="scheme-label">Colours</span>
      <SegmentedControl
        size="xs"
        aria-labelledby="scheme-label"
        data={SCHEMES}
        value={colorScheme}
        onChange={setColorScheme}
      />
      <span id="density-label">Rows of tables</span>
      <SegmentedControl
        size="xs"
        aria-labelledby="density-label"
        data={DENSITIES}
        value={density}
        onChange={chooseDensity}
      />
      <span id="technical-label">Ids and technical details</span>
      <SegmentedControl
        size="xs"
        aria-labelledby="technical-label"
        data={TECHNICAL}
        value={isTechnical ? 'shown' : 'hidden'}
        onChange={value => chooseTechnical(value === 'shown')}
      />
    </div>
  )
}
