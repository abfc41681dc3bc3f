package bursar;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** All items of a list, asked for page by page as they are read: {@code for (PayOrder order : bursar.listPayOrders())}. */
public final class ItemList<T> implements Iterable<T> {
    private final Function<String, Map<String, Object>> ask;
    private final Function<Map<String, Object>, T> read;

    ItemList(Function<String, Map<String, Object>> ask, Function<Map<String, Object>, T> read) {
        this.ask = ask;
        this.read = read;
    }

    /** One page, and the cursor of the next: null behind the last. */
    public static final class Page<T> {
        public final List<T> items;
        public final String nextCursor;

        Page(List<T> items, String nextCursor) {
            this.items = items;
            this.nextCursor = nextCursor;
        }
    }

    /** The first page when the cursor is null. */
    @SuppressWarnings("unchecked")
    public Page<T> page(String cursor) {
        Map<String, Object> answer = ask.apply(cursor);
        List<T> items = new ArrayList<>();
        for (Object item : (List<Object>) answer.get("data")) items.add(read.apply((Map<String, Object>) item));
        return new Page<>(items, (String) answer.get("next_cursor"));
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<T>() {
            private Page<T> page = ItemList.this.page(null);
            private int at;

            @Override
            public boolean hasNext() {
                while (at == page.items.size() && page.nextCursor != null) {
                    page = ItemList.this.page(page.nextCursor);
                    at = 0;
                }
                return at < page.items.size();
            }

            @Override
            public T next() {
                if (!hasNext()) throw new NoSuchElementException();
                return page.items.get(at++);
            }
        };
    }
}
