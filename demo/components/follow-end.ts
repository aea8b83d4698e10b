import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** A person this near the end, in CSS pixels, follows it. */
const nearEnd = 160

/**
 * Gives back a ref for an element at the end of a list. When one of the inputs changes, the end is
 * scrolled into view, unless the person has scrolled away from it to read. `spoken` counts what the
 * person said: saying something leads back to the end.
 */
export function useFollowEnd(
  inputs: readonly unknown[],
  spoken: number,
): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useEffect(() => {
    const look = () => {
      const top = end.current?.getBoundingClientRect().top ?? 0
      follows.current = top < innerHeight + nearEnd
    }
    // Captured, since the list scrolls on wide screens and the page on narrow ones.
    addEventListener('scroll', look, { capture: true, passive: true })
    return () => removeEventListener('scroll', look, { capture: true })
  }, [])
  useLayoutEffect(() => {
    follows.current = true
  }, [spoken])
  useLayoutEffect(() => {
    if (follows.current) end.current?.scrollIntoView({ block: 'end' })
  }, inputs)
  return end
}
