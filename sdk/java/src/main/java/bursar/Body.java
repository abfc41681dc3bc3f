package bursar;

import java.util.LinkedHashMap;
import java.util.Map;

/** The body of a request: what is set is sent. */
public abstract class Body<Self extends Body<Self>> {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    /** Any field, such as one that this version does not know. */
    @SuppressWarnings("unchecked")
    public Self set(String name, Object value) {
        fields.put(name, value);
        return (Self) this;
    }

    Map<String, Object> fields() {
        return fields;
    }
}
