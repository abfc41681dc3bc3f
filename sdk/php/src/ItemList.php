<?php

declare(strict_types=1);

namespace Bursar;

/**
 * All items of a list, asked for page by page as they are read: foreach ($bursar->listPayOrders() as $order).
 *
 * @template Item
 * @implements \IteratorAggregate<int, Item>
 */
final class ItemList implements \IteratorAggregate
{
    /** @param \Closure(array<string, string>): array<string, mixed> $read */
    public function __construct(private readonly \Closure $read)
    {
    }

    /**
     * One page and the cursor of the next: the first page, or the one behind a cursor.
     *
     * @return array{list<Item>, string|null}
     */
    public function page(?string $cursor = null): array
    {
        $answer = ($this->read)($cursor === null ? [] : ['cursor' => $cursor]);
        return [$answer['data'], $answer['next_cursor'] ?? null];
    }

    public function getIterator(): \Generator
    {
        $cursor = null;
        do {
            [$items, $cursor] = $this->page($cursor);
            foreach ($items as $item) {
                yield $item;
            }
        } while ($cursor !== null);
    }
}
