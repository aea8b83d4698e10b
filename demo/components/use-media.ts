import { useEffect, useState } from 'preact/hooks'

/** Gives back whether a media query holds now, and again when that changes. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const look = () => setHolds(list.matches)
    list.addEventListener('change', look)
    return () => list.removeEventListener('change', look)
  }, [query])
  return holds
}
