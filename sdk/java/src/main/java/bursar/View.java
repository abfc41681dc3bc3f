package bursar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What was answered, by its fields; one that was not provided reads null. */
public abstract class View {
    private final Map<String, Object> json;

    protected View(Map<String, Object> json) {
        this.json = json;
    }

    /** All of it, with the fields that this version does not know. */
    public Map<String, Object> json() {
        return json;
    }

    protected Object any(String name) {
        return json.get(name);
    }

    protected String text(String name) {
        return (String) json.get(name);
    }

    protected BigDecimal amount(String name) {
        return (BigDecimal) json.get(name);
    }

    protected Long whole(String name) {
        return (Long) json.get(name);
    }

    protected Boolean flag(String name) {
        return (Boolean) json.get(name);
    }

    @SuppressWarnings("unchecked")
    protected <T> List<T> list(String name) {
        return (List<T>) json.get(name);
    }

    @SuppressWarnings("unchecked")
    protected <T> Map<String, T> map(String name) {
        return (Map<String, T>) json.get(name);
    }

    protected <T> T one(String name, Function<Map<String, Object>, T> read) {
        Map<String, Object> found = map(name);
        return found == null ? null : read.apply(found);
    }

    protected <T> List<T> all(String name, Function<Map<String, Object>, T> read) {
        List<Map<String, Object>> found = list(name);
        if (found == null) return null;
        List<T> views = new ArrayList<>();
        for (Map<String, Object> item : found) views.add(read.apply(item));
        return views;
    }

    @Override
    public String toString() {
        return Json.write(json);
    }
}
